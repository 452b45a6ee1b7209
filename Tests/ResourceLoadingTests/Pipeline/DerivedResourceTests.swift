import Foundation
import PromiseModule
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

/// Derived values keep all settings of the original.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DerivedResourceTests {
  /// Options with a value for every property.
  private static let options: Request.Options = {
    var options = Request.Options()
    options.timeout = .seconds(1)
    options.attemptTimeout = .seconds(2)
    options.idleTimeout = .seconds(3)
    options.minimumThroughput = .init(bytes: 3, per: .seconds(4))
    options.acceptedStatuses = [201]
    options.maximumBodySize = 4
    options.maximumHeaderSize = 5
    options.redirects = .follow(maximum: 6)
    options.isIdempotent = false
    options.isAuthenticated = false
    options.cachePolicy = .networkOnly
    options.secretNames = ["x"]
    options.crossOriginHeaders = ["X-Y"]
    options.priority = .high
    options.allowsCellularAccess = false
    options.allowsConstrainedNetworkAccess = true
    options.allowsExpensiveNetworkAccess = false
    return options
  }()

  /// The descriptions of a value's stored properties by their names.
  private static func properties(of value: Any) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: value).children.map {
        ($0.label ?? "", "\($0.value)")
      })
  }

  @Test func `each option that a request leaves open comes from the client`() {
    let given = Self.properties(of: Self.options)

    let completed = Request.Options().completed(by: Self.options)

    // A new option has to be added above, too.
    #expect(!given.values.contains("nil"))
    #expect(Self.properties(of: completed) == given)
    #expect(
      Self.properties(of: Self.options.completed(by: Request.Options())) == given)
  }

  @Test func `a mapped resource keeps the request and the progress handler`() {
    let resource = Resource.text(Request.post("/a").changed { $0.options = Self.options })
      .onProgress { _ in }.errorBody(.json(Int.self)).sample("x")

    let mapped = resource.map(\.count)

    #expect(mapped.request == resource.request)
    #expect(mapped.progress != nil)
    #expect(mapped.errorBody != nil && mapped.sample?.body == Data("x".utf8))
  }

  @Test func `a mapped or paged resource is parsed on the original's thread`()
    async throws
  {
    let response = Response(url: URL(string: "https://example.org")!, body: Data("abc".utf8))
    for resource in [
      Resource<Data>.data(.get("/")), Resource<String>.text(.get("/")).map { Data($0.utf8) },
    ] {
      #expect(resource.map(\.count).parsing.isShort(for: response))
    }
    let read = Mutex<[Bool]>([])
    let loader = Reporting { isShort in read.withLock { $0.append(isShort) } }

    for try await _ in loader.pages(of: .data(.get("/")), by: .following { _ in nil }) {}
    for try await _ in loader.pages(of: Resource(.get("/")) { _ in }, by: .following { _ in nil }) {
    }

    #expect(read.withLock(\.self) == [true, false])
  }

  /// Returns whether the value is parsed on the thread on which the response arrives.
  private struct Reporting: Loader {
    var report: @Sendable (Bool) -> Void

    func load<R>(_ resource: Resource<R>) async throws -> R {
      let response = Response(url: URL(string: "https://example.org")!, body: Data("abc".utf8))
      report(resource.parsing.isShort(for: response))
      return try resource.parse(response)
    }
  }

  @Test func `pages report their progress`() async throws {
    let transport = StubTransport()
    transport.stub("*", .response(body: Data("abc".utf8)))
    let client = Client(baseURL: URL(string: "https://example.org")) { $0.transport = transport }
    let told = Mutex<[Int]>([])
    let resource = Resource.text(.get("/")).onProgress { step in
      told.withLock { $0.append(step.completed) }
    }

    for try await _ in client.pages(of: resource, by: .following { _ in nil }) {}

    #expect(told.withLock(\.last) == 3)
  }

  @Test func `callbacks run on the client's executor, also through the protocol`()
    async throws
  {
    let transport = StubTransport()
    transport.stub("*", .response(body: Data("abc".utf8)))
    let (queue, key) = (DispatchQueue(label: "callbacks"), DispatchSpecificKey<String>())
    queue.setSpecific(key: key, value: "mine")
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.callbackExecutor = queue
    }
    let loader: any Loader = client
    func place(_ load: (@escaping @Sendable () -> Void) -> Void) async -> String? {
      await withCheckedContinuation { continuation in
        load { continuation.resume(returning: DispatchQueue.getSpecific(key: key)) }
      }
    }

    let places = [
      await place { done in loader.load(.text(.get("/"))) { _ in done() } },
      await place { done in loader.load(AnEndpoint()) { _ in done() } },
    ]

    #expect(places == ["mine", "mine"])
  }

  private struct AnEndpoint: Endpoint {
    var resource: Resource<String> { .text(.get("/")) }
  }
}
