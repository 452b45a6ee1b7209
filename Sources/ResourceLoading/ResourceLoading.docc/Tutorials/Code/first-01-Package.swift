// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Stars",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-resource-loading", path: "../swift-resource-loading")
  ],
  targets: [
    .executableTarget(
      name: "Stars",
      dependencies: [
        .product(name: "ResourceLoading", package: "swift-resource-loading")
      ]),
    .testTarget(
      name: "StarsTests",
      dependencies: [
        "Stars", .product(name: "ResourceTesting", package: "swift-resource-loading"),
      ]),
  ])
