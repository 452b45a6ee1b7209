// swift-tools-version: 6.2

import PackageDescription

// What sends random bytes to the code that reads what others send; `../fuzz` builds and runs it. A package of its own:
// what it measures is compiled with a sanitizer and coverage, the benchmarks aren't, and it needs none of their rivals.
let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-resource-loading", path: "../..")],
  targets: [
    .target(name: "CFuzzing"),
    .executableTarget(
      name: "Fuzzing",
      dependencies: [
        "CFuzzing",
        .product(name: "ResourceJSON", package: "swift-resource-loading"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
      ],
      // The usual one stumbles over the debug information of Swift when it has something to say.
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
  ],
  swiftLanguageModes: [.v6]
)
