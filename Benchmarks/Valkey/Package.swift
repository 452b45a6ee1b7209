// swift-tools-version: 6.2

import PackageDescription

// A program that reads from a server of Valkey or Redis, for `../valkey`.
let package = Package(
  name: "Valkey",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-resource-loading", path: "../..", traits: ["Curl", "Valkey"])
  ],
  targets: [
    .target(name: "CBare", linkerSettings: [.linkedLibrary("hiredis")]),
    .executableTarget(
      name: "Valkey",
      dependencies: [
        "CBare",
        .product(name: "ResourceCache", package: "swift-resource-loading"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceValkey", package: "swift-resource-loading"),
      ],
      swiftSettings: [.define("Valkey")]),
  ],
  swiftLanguageModes: [.v6]
)
