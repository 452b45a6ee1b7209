// swift-tools-version: 6.2

import PackageDescription

// A program that downloads or uploads one file, for `../transfers`.
let package = Package(
  name: "Transfers",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-resource-loading", path: "../..")],
  targets: [
    .executableTarget(
      name: "Transfers",
      dependencies: [
        .product(name: "ResourceLoading", package: "swift-resource-loading")
      ])
  ],
  swiftLanguageModes: [.v6]
)
