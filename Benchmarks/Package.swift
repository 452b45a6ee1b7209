// swift-tools-version: 6.2

import PackageDescription

// What the benchmarks are compared with is named here and nowhere else: who uses the library never
// resolves it. ReerJSON (1.2.1), the closest rival of the JSON reader, isn't among them: its
// manifest asks for the tools of Swift 6.4, and this package is built with 6.3.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-resource-loading", path: ".."),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/CoreOffice/XMLCoder", exact: "0.18.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(name: "CAllocations"),
    .target(name: "CCores"),
    .target(
      name: "CCurlMulti", linkerSettings: [.linkedLibrary("curl", .when(platforms: [.linux]))]),
    .target(name: "CEpoll"),
    .target(name: "Handwritten"),
    .target(name: "Rows"),
    .target(name: "Measuring", dependencies: ["CCores", "Rows"]),

    .executableTarget(
      name: "PromiseBenchmarks",
      dependencies: [
        "CAllocations",
        "Measuring",
        "Rows",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "PromiseModule", package: "swift-resource-loading"),
      ]),

    .executableTarget(
      name: "LoadingBenchmarks",
      dependencies: [
        "Handwritten",
        "Measuring",
        "Rows",
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
      ]),

    .executableTarget(
      name: "ClientBenchmarks",
      dependencies: [
        "CCurlMulti",
        "Handwritten",
        "Measuring",
        "Rows",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
      ]),

    .executableTarget(
      name: "SocketBenchmarks",
      dependencies: [
        "Measuring",
        "Rows",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
      ]),

    .executableTarget(
      name: "JSONBenchmarks",
      dependencies: [
        "CAllocations",
        "Measuring",
        "Rows",
        .product(name: "ResourceJSON", package: "swift-resource-loading"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
      ]),

    .executableTarget(
      name: "XMLBenchmarks",
      dependencies: [
        "CAllocations",
        "Measuring",
        "Rows",
        .product(name: "ResourceXML", package: "swift-resource-loading"),
        .product(name: "XMLCoder", package: "XMLCoder"),
      ]),

    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [
        "Measuring",
        "Rows",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "ResourceCache", package: "swift-resource-loading"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceOutbox", package: "swift-resource-loading"),
        .product(name: "ResourceStore", package: "swift-resource-loading"),
        .product(name: "ResourceSync", package: "swift-resource-loading"),
        .product(name: "ResourceTesting", package: "swift-resource-loading"),
      ]),

    .executableTarget(
      name: "CacheBenchmarks",
      dependencies: [
        "Measuring",
        "Rows",
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceCache", package: "swift-resource-loading"),
        .product(name: "ResourceStore", package: "swift-resource-loading"),
      ]),

    .executableTarget(
      name: "StateBenchmarks",
      dependencies: [
        "CAllocations",
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceState", package: "swift-resource-loading"),
      ]),

    .executableTarget(
      name: "loads",
      dependencies: [
        "CCurlMulti",
        "Handwritten",
        .product(name: "PromiseModule", package: "swift-resource-loading"),
        .product(name: "ResourceCache", package: "swift-resource-loading"),
        .product(name: "ResourceInspector", package: "swift-resource-loading"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceStore", package: "swift-resource-loading"),
        .product(name: "ResourceTracing", package: "swift-resource-loading"),
      ]),
    .executableTarget(
      name: "sockets",
      dependencies: [
        "CAllocations",
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceTesting", package: "swift-resource-loading"),
      ]),
    .executableTarget(
      name: "adapters",
      dependencies: [
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "ResourceLoading", package: "swift-resource-loading"),
        .product(name: "ResourceTesting", package: "swift-resource-loading"),
      ]),
    .executableTarget(
      name: "doubles",
      dependencies: [.product(name: "ResourceJSON", package: "swift-resource-loading")]),
    .executableTarget(name: "serve", dependencies: ["CEpoll"]),
    .executableTarget(name: "ratios", dependencies: ["Rows"]),
  ],
  swiftLanguageModes: [.v6]
)
