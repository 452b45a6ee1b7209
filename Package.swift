// swift-tools-version: 6.2.3

import PackageDescription

let package = Package(
  name: "swift-resource-loading",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "PromiseModule", targets: ["PromiseModule"]),
    .library(name: "ResourceJSON", targets: ["ResourceJSON"]),
    .library(name: "ResourceLoading", targets: ["ResourceLoading"]),
    .library(name: "ResourceXML", targets: ["ResourceXML"]),
    .library(name: "ResourceFeeds", targets: ["ResourceFeeds"]),
    .library(name: "ResourceCache", targets: ["ResourceCache"]),
    .library(name: "ResourceStore", targets: ["ResourceStore"]),
    .library(name: "ResourceOutbox", targets: ["ResourceOutbox"]),
    .library(name: "ResourceState", targets: ["ResourceState"]),
    .library(name: "ResourceSync", targets: ["ResourceSync"]),
    .library(name: "ResourceTracing", targets: ["ResourceTracing"]),
    .library(name: "ResourceValkey", targets: ["ResourceValkey"]),
    .library(name: "ResourceInspector", targets: ["ResourceInspector"]),
    .library(name: "ResourceTesting", targets: ["ResourceTesting"]),
    .executable(name: "feeds", targets: ["feeds"]),
  ],
  traits: [
    .default(enabledTraits: ["Standard"]),
    // Not three traits by default: SwiftPM tells the compiler of them in an order that changes from
    // command to command, and builds everything again each time.
    .trait(name: "Standard", description: "Curl, URLSession and XML"),
    .trait(name: "Curl", description: "On Linux, clients load with libcurl instead of URLSession"),
    .trait(
      name: "URLSession",
      description: "On Linux, what needs the whole of Foundation, and 45 MB of a static program:"
        + " URLSession as a loader and a transport, and XMLDecoder's dates by a DateFormatter"),
    .trait(
      name: "XML",
      description: "ResourceLoading reads and sends XML, which is 0.8 MB of a static program."
        + " The modules ResourceXML and ResourceFeeds don't need it"),
    .trait(
      name: "Valkey", description: "The module ResourceValkey, which needs hiredis",
      // For TLS.
      enabledTraits: ["Curl"]),
  ],
  targets: [
    .target(name: "PromiseModule"),
    .testTarget(name: "PromiseModuleTests", dependencies: ["PromiseModule", "TestSupport"]),

    // What several modules need and nobody names: no product, and nothing in it is public.
    .target(name: "ResourcePrimitives"),
    .testTarget(
      name: "ResourcePrimitivesTests",
      dependencies: ["ResourcePrimitives", "ResourceTesting", "TestSupport"]),

    .target(name: "ResourceJSON", dependencies: ["ResourcePrimitives"]),
    .testTarget(
      name: "ResourceJSONTests",
      dependencies: ["ResourceJSON", "ResourcePrimitives", "TestSupport"]),

    .target(name: "ResourceXML", dependencies: ["ResourcePrimitives"]),
    .testTarget(
      name: "ResourceXMLTests",
      dependencies: ["ResourcePrimitives", "ResourceXML", "TestSupport"]),

    .target(
      name: "ResourceLoading",
      dependencies: [
        "PromiseModule", "ResourceJSON", "ResourcePrimitives",
        .target(name: "ResourceXML", condition: .when(traits: ["Standard", "XML"])),
        .target(
          name: "CResourceCurl",
          condition: .when(platforms: [.linux], traits: ["Curl", "Standard"])),
        .target(
          name: "CResourceZlib",
          condition: .when(platforms: [.linux], traits: ["Curl", "Standard"])),
      ]),
    .systemLibrary(
      name: "CResourceCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CResourceZlib", providers: [.apt(["zlib1g-dev"])]),
    .testTarget(
      name: "ResourceLoadingTests",
      dependencies: [
        .target(
          name: "CResourceZlib",
          condition: .when(platforms: [.linux], traits: ["Curl", "Standard"])),
        "PromiseModule", "ResourceJSON", "ResourceLoading", "ResourcePrimitives", "ResourceTesting",
        "ResourceXML", "TestSupport", "UploadTestSupport",
      ]),

    .target(
      name: "ResourceFeeds",
      dependencies: ["ResourceJSON", "ResourceLoading", "ResourcePrimitives", "ResourceXML"]),
    .testTarget(
      name: "ResourceFeedsTests",
      dependencies: [
        "ResourceFeeds", "ResourceLoading", "ResourcePrimitives", "ResourceTesting", "TestSupport",
      ]),

    .target(
      name: "ResourceCache",
      dependencies: ["PromiseModule", "ResourceLoading", "ResourcePrimitives"]),
    .testTarget(
      name: "ResourceCacheTests",
      dependencies: [
        "CacheTestSupport", "ResourceCache", "ResourceLoading", "ResourcePrimitives",
        "ResourceTesting", "TestSupport",
      ]),

    // Apple's platforms bring a module of their own, `SQLite3`.
    .systemLibrary(name: "CResourceSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "ResourceStore",
      dependencies: [
        .target(name: "CResourceSQLite", condition: .when(platforms: [.linux])), "PromiseModule",
        "ResourceCache", "ResourceJSON", "ResourceLoading", "ResourcePrimitives",
      ]),
    .testTarget(
      name: "ResourceStoreTests",
      dependencies: [
        .target(name: "CResourceSQLite", condition: .when(platforms: [.linux])),
        "CacheTestSupport", "PromiseModule", "ResourceCache", "ResourceLoading",
        "ResourcePrimitives", "ResourceStore",
        "ResourceTesting", "StoreTestSupport", "TestSupport",
      ]),

    // Empty without the trait, so that nobody else needs hiredis. `.ci/valkey` builds and tests it.
    .systemLibrary(name: "CResourceHiredis", providers: [.apt(["libhiredis-dev"])]),
    .target(
      name: "ResourceValkey",
      dependencies: [
        .target(
          name: "CResourceHiredis", condition: .when(platforms: [.linux], traits: ["Valkey"])),
        "PromiseModule", "ResourceCache", "ResourceLoading", "ResourcePrimitives",
      ]),
    .testTarget(
      name: "ResourceValkeyTests",
      dependencies: [
        "CacheTestSupport", "ResourceCache", "ResourceLoading", "ResourcePrimitives",
        "ResourceTesting", "ResourceValkey", "TestSupport",
      ]),

    .target(
      name: "ResourceOutbox",
      dependencies: [
        "PromiseModule", "ResourceJSON", "ResourceLoading", "ResourcePrimitives", "ResourceStore",
      ]),
    .testTarget(
      name: "ResourceOutboxTests",
      dependencies: [
        "PromiseModule", "ResourceJSON", "ResourceLoading", "ResourcePrimitives", "ResourceOutbox",
        "ResourceStore", "ResourceTesting", "StoreTestSupport", "TestSupport",
        "UploadTestSupport",
      ]),

    .target(
      name: "ResourceState",
      dependencies: ["PromiseModule", "ResourceCache", "ResourceLoading", "ResourcePrimitives"]),
    .testTarget(
      name: "ResourceStateTests",
      dependencies: [
        "PromiseModule", "ResourceCache", "ResourceLoading", "ResourcePrimitives", "ResourceState",
        "ResourceTesting",
        "TestSupport",
      ]),

    .target(
      name: "ResourceSync",
      dependencies: [
        "PromiseModule", "ResourceJSON", "ResourceLoading", "ResourceOutbox", "ResourcePrimitives",
        "ResourceState", "ResourceStore",
      ]),
    .testTarget(
      name: "ResourceSyncTests",
      dependencies: [
        "PromiseModule", "ResourceCache", "ResourceLoading", "ResourceOutbox",
        "ResourcePrimitives", "ResourceState", "ResourceStore", "ResourceSync", "ResourceTesting",
        "StoreTestSupport", "TestSupport",
      ]),

    .target(
      name: "ResourceTracing",
      dependencies: ["PromiseModule", "ResourceJSON", "ResourceLoading", "ResourcePrimitives"]),
    .testTarget(
      name: "ResourceTracingTests",
      dependencies: [
        "PromiseModule", "ResourceCache", "ResourceLoading", "ResourcePrimitives",
        "ResourceTesting", "ResourceTracing",
        "TestSupport",
      ]),

    .target(
      name: "ResourceInspector",
      dependencies: ["PromiseModule", "ResourceJSON", "ResourceLoading", "ResourcePrimitives"]),
    .testTarget(
      name: "ResourceInspectorTests",
      dependencies: [
        "CacheTestSupport", "PromiseModule", "ResourceCache", "ResourceInspector",
        "ResourceLoading", "ResourceOutbox", "ResourcePrimitives", "ResourceState",
        "ResourceStore", "ResourceTesting", "TestSupport",
      ]),

    .target(
      name: "ResourceTesting",
      dependencies: ["ResourceJSON", "ResourceLoading", "ResourcePrimitives"]),
    .testTarget(
      name: "ResourceTestingTests",
      dependencies: [
        "PromiseModule", "ResourceLoading", "ResourcePrimitives", "ResourceTesting", "TestSupport",
      ]),

    .executableTarget(
      name: "feeds",
      dependencies: [
        "PromiseModule", "ResourceCache", "ResourceFeeds", "ResourceInspector", "ResourceJSON",
        "ResourceLoading",
        "ResourceState", "ResourceStore", "ResourceTesting",
      ]),
    .testTarget(
      name: "FeedsTests",
      dependencies: [
        "feeds", "ResourceCache", "ResourceFeeds", "ResourceLoading", "ResourceStore",
        "ResourceTesting", "TestSupport",
      ]),

    // One file for each way in which people come to this library, written as its users would.
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "PromiseModule", "ResourceCache", "ResourceLoading", "ResourceOutbox", "ResourceState",
        "ResourceStore", "ResourceSync", "ResourceTesting", "ResourceTracing", "ResourceXML",
        "TestSupport",
      ]),

    // No output shows a secret of an input; driven by the lists of public symbols in .api.
    .testTarget(
      name: "TaintTests",
      dependencies: [
        "PromiseModule", "ResourceCache", "ResourceFeeds", "ResourceInspector", "ResourceJSON",
        "ResourceLoading", "ResourceOutbox", "ResourceState", "ResourceStore", "ResourceTesting",
        "ResourceTracing", "ResourceXML", "TestSupport",
      ]),

    // What the tests of several modules need.
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(
      name: "UploadTestSupport", dependencies: ["ResourceTesting"],
      path: "Tests/UploadTestSupport"),
    .target(
      name: "StoreTestSupport",
      dependencies: [
        .target(name: "CResourceSQLite", condition: .when(platforms: [.linux])), "ResourceStore",
      ],
      path: "Tests/StoreTestSupport"),
    .target(
      name: "CacheTestSupport",
      dependencies: ["ResourceCache", "ResourceLoading", "ResourceTesting"],
      path: "Tests/CacheTestSupport"),
  ],
  swiftLanguageModes: [.v6]
)

// One set of rules for every target, so that code reads the same wherever it lives.
for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      // An existential costs; `any` says where one is paid for.
      .enableUpcomingFeature("ExistentialAny"),
      // What a module imports stays its own business unless it says `public import`.
      .enableUpcomingFeature("InternalImportsByDefault"),
      // A file that uses a module's members imports that module itself.
      .enableUpcomingFeature("MemberImportVisibility"),
      // An async function stays with its caller unless it says `@concurrent`.
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      // Conformances of isolated types are isolated without being told.
      .enableUpcomingFeature("InferIsolatedConformances"),
    ]
  target.swiftSettings? += ["Curl", "URLSession", "XML"].map {
    .define($0, .when(traits: ["Standard"]))
  }
  // Outside of tests each unsafe expression is marked, so that a reader finds all of them (SE-0458).
  let isForTests = target.type == .test || target.name == "StoreTestSupport"
  if !isForTests { target.swiftSettings?.append(.strictMemorySafety()) }
}
