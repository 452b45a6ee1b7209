// swift-tools-version: 6.2

import PackageDescription

// A program that plays a published suite of cases against the cache, for `../cachesuite`.
let package = Package(
  name: "CacheSuite",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-resource-loading", path: "../..", traits: ["Curl", "Valkey"])
  ],
  targets: [
    .executableTarget(
      name: "CacheSuite",
      dependencies: [
        .product(name: "ResourceCache", package: "swift-resource-loading"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceStore", package: "swift-resource-loading"),
        .product(name: "ResourceValkey", package: "swift-resource-loading"),
      ],
      swiftSettings: [.define("Valkey")])
  ],
  swiftLanguageModes: [.v6]
)
