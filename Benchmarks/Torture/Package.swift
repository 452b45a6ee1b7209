// swift-tools-version: 6.2

import PackageDescription

// A program that uses everything that meets the system, while `../torture` lets the n-th call fail.
let package = Package(
  name: "Torture",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-resource-loading", path: "../..")],
  targets: [
    .executableTarget(
      name: "Torture",
      dependencies: [
        .product(name: "PromiseModule", package: "swift-resource-loading"),
        .product(name: "ResourceCache", package: "swift-resource-loading"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceOutbox", package: "swift-resource-loading"),
        .product(name: "ResourceStore", package: "swift-resource-loading"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
