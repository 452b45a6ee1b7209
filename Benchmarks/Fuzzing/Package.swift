// swift-tools-version: 6.2

import PackageDescription

// The usual linker stumbles over the debug information of Swift when it has something to say.
let linkerSettings: [LinkerSetting] = [.unsafeFlags(["-use-ld=lld"])]

// What sends random bytes to the code that reads what others send; `../fuzz` builds and runs it. A
// package of its own: what it measures is compiled with a sanitizer and coverage, the benchmarks
// aren't, and it needs none of their rivals.
//
// The reader of JSON has a program of its own: the coverage of a program is looked through after
// each input, and that of the whole library takes longer than a short document.
let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-resource-loading", path: "../..")],
  targets: [
    .target(name: "CFuzzing"),
    .target(
      name: "Trials",
      dependencies: [
        "CFuzzing", .product(name: "ResourceJSON", package: "swift-resource-loading"),
      ]),
    .executableTarget(
      name: "Fuzzing",
      dependencies: [
        "Trials",
        .product(name: "ResourceJSON", package: "swift-resource-loading"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
      ],
      linkerSettings: linkerSettings),
    .executableTarget(
      name: "JSONFuzzing",
      dependencies: [
        "Trials", .product(name: "ResourceJSON", package: "swift-resource-loading"),
      ],
      linkerSettings: linkerSettings),
    // Compares the writer of JSON with Foundation's, by random types instead of bytes.
    .executableTarget(
      name: "WriterTrials",
      dependencies: [.product(name: "ResourceJSON", package: "swift-resource-loading")]),
    // Reads the documents of the benchmarks in pieces.
    .executableTarget(
      name: "PieceTrials",
      dependencies: [.product(name: "ResourceJSON", package: "swift-resource-loading")]),
  ],
  swiftLanguageModes: [.v6]
)
