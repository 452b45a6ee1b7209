// swift-tools-version: 6.2

import PackageDescription

// The library in worlds of one seed; `../simulate` prepares, builds and runs it.
//
// It is built against a copy of the library in which a stand-in for `Mutex` lets another thread run
// at each lock (`Standins/Simulated.swift`), and which holds the planted faults of `plant.py`. The
// library itself has none of either.
let package = Package(
  name: "Simulation",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-resource-loading", path: "../.build-simulation/library")
  ],
  targets: [
    .target(
      name: "CSimulation", linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("dl")]),
    .executableTarget(
      name: "Simulation",
      dependencies: [
        "CSimulation",
        .product(name: "PromiseModule", package: "swift-resource-loading"),
        .product(name: "ResourceCache", package: "swift-resource-loading"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceOutbox", package: "swift-resource-loading"),
        .product(name: "ResourceState", package: "swift-resource-loading"),
        .product(name: "ResourceStore", package: "swift-resource-loading"),
        .product(name: "ResourceSync", package: "swift-resource-loading"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
