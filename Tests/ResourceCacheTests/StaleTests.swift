import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// RFC 5861, and RFC 9111 section 4.2.4: when stale responses are used.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct StaleTests {
  typealias Service = CachedService

  private static let lenient: Headers = [
    .cacheControl: "max-age=10, stale-while-revalidate=60, stale-if-error=60", .eTag: "\"1\"",
  ]

  /// A service whose `/a` was loaded, and is stale by 10 seconds.
  private func stale(
    _ headers: Headers = lenient, _ then: StubAnswer, middleware: [any Middleware] = []
  ) async throws -> Service {
    let service = Service(behind: middleware)
    service.transport.stub("GET /a", Service.fresh("one", headers), then)
    _ = try await service.load("/a")
    service.clock.advance(by: .seconds(20))
    return service
  }

  @Test func `stale-while-revalidate responds at once, and revalidates once for all loads`()
    async throws
  {
    let gate = Gate()
    let service = try await stale(
      Self.lenient, Service.fresh("", Self.lenient, status: 304).waiting(for: gate))

    for _ in 0..<20 {
      let loaded = try await service.load("/a")
      #expect(loaded.source == "from the cache, 20.00 s old, stale while revalidating")
    }
    try await service.transport.waitForRequests(count: 2)
    gate.open()
    try await service.untilFresh("/a")

    #expect(service.transport.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"1\""])
    #expect(try await service.load("/a").text == "one")
  }

  @Test func `a background revalidation updates the response for the next load`() async throws {
    let service = try await stale(Self.lenient, Service.fresh("two", Self.lenient))

    #expect(try await service.load("/a").text == "one")
    try await service.untilFresh("/a")

    #expect(try await service.load("/a").text == "two")
  }

  @Test(
    arguments: [
      "max-age=10, must-revalidate", "no-cache", "max-age=10", "max-age=10, proxy-revalidate",
      "s-maxage=10",
    ])
  func `without a network, the cache answers 504 for a response that mustn't be used stale`(
    control: String
  ) async throws {
    let service = try await stale(
      [.cacheControl: control], .error(LoadError(.connection, "no route to the host")))
    var request = Request.get("/a")
    request.options.acceptedStatuses = .any

    let response = try await service.client.load(Resource(request) { $0 })

    // The others don't apply to a private cache.
    let isAllowed = control != "max-age=10, must-revalidate" && control != "no-cache"
    #expect(response.status == (isAllowed ? 200 : 504))
    guard !isAllowed else { return }
    let error = await #expect(throws: LoadError.self) { try await service.load("/a") }
    #expect(error?.kind == .connection && error?.reason == "no route to the host")
    #expect(error?.response == nil)
  }

  @Test(arguments: [408, 412, 425, 428, 429, 431] as [Status])
  func `a status that says nothing about the resource doesn't remove the stored response`(
    _ status: Status
  ) async throws {
    let service = try await stale([.cacheControl: "max-age=10"], .status(status))

    await #expect(throws: LoadError.self) { try await service.load("/a") }

    let request = Request.get("/a").cachePolicy(.cacheOnly)
    #expect(try await service.load(request).text == "one")
  }

  @Test func `after an unsafe request, a background revalidation stores nothing`()
    async throws
  {
    let gate = Gate()
    let service = try await stale(
      Self.lenient, Service.fresh("old", Self.lenient).waiting(for: gate))
    service.transport.stub("PUT /a", .status(204))
    _ = try await service.load("/a")
    try await service.transport.waitForRequests(count: 2)

    try await service.client.load(.void(Request(.put, "/a")))
    gate.open()
    service.transport.stub("GET /a", Service.fresh("new"))

    #expect(try await service.load("/a").text == "new")
    #expect(try await service.load("/a").text == "new")
  }

  @Test func `closing the client cancels background revalidations`() async throws {
    let service = try await stale(Self.lenient, .never)
    _ = try await service.load("/a")
    try await service.transport.waitForRequests(count: 2)

    service.client.close()

    try await service.transport.waitForCancellations(count: 1)
  }

  @Test func `draining the client waits for background revalidations`() async throws {
    let (storage, gate) = (MemoryResponseStorage(), Gate())
    let service = Service(storage)
    service.transport.stub(
      "GET /a", Service.fresh("one", Self.lenient),
      Service.fresh("two", Self.lenient).waiting(for: gate))
    _ = try await service.load("/a")
    service.clock.advance(by: .seconds(20))
    _ = try await service.load("/a")
    try await service.transport.waitForRequests(count: 2)

    let draining = Task { await service.client.drain(within: .seconds(10)) }
    try await service.clock.waitForSleepers(count: 1, within: .seconds(10))
    gate.open()

    #expect(await draining.value == 0)
    #expect(service.transport.cancellations.isEmpty)
    let later = try await Service(storage).load(.get("/a").cachePolicy(.cacheOnly))
    #expect(later.text == "two")
  }

  @Test func `the end of a load doesn't cancel its background revalidation`() async throws {
    let service = try await stale(Self.lenient, .never)
    let task = Task { try await service.load("/a") }
    _ = try await task.value
    task.cancel()
    try await service.transport.waitForRequests(count: 2)

    #expect(service.transport.cancellations.isEmpty)
    service.client.close()
  }

  @Test(arguments: [500, 502, 503, 504] as [Status])
  func `stale-if-error allows a stale response after an error of the server`(
    _ status: Status
  ) async throws {
    let headers: Headers = [.cacheControl: "max-age=10, stale-if-error=60"]
    let service = try await stale(headers, .status(status))

    let loaded = try await service.load("/a")

    #expect(loaded.text == "one")
    #expect(
      loaded.source
        == "from the cache, 20.00 s old, stale because of an error: unaccepted status: the server answered \(status)"
    )
    service.clock.advance(by: .seconds(60))
    await #expect(throws: LoadError.self) { try await service.load("/a") }
    // It is still stored, for when the network fails.
    service.transport.stub("GET /a", .error(LoadError(.connection, "no network")))
    #expect(try await service.load("/a").text == "one")
  }

  @Test(arguments: [
    LoadError(.connection, "no network"), LoadError(.timedOut, "nothing arrived"),
  ])
  func `without a network a stored response is used, however old`(_ error: LoadError)
    async throws
  {
    let service = try await stale([.cacheControl: "max-age=10"], .error(error))
    service.clock.advance(by: .seconds(1_000_000))

    let loaded = try await service.load("/a")

    #expect(loaded.text == "one")
    #expect(loaded.source.hasSuffix("stale because of an error: \(error.kind): \(error.reason)"))
  }

  @Test(
    arguments: [
      ([.cacheControl: "max-age=10, must-revalidate"], [:]), ([.cacheControl: "no-cache"], [:]),
      ([.cacheControl: "max-age=10"], [.cacheControl: "no-cache"]),
    ] as [(Headers, Headers)])
  func `a response that must not be used stale isn't used`(stored: Headers, asked: Headers)
    async throws
  {
    let service = try await stale(stored, .error(LoadError(.connection, "no network")))

    let error = await #expect(throws: LoadError.self) { try await service.load("/a", asked) }

    #expect(error?.kind == .connection)
  }

  @Test(arguments: [LoadError.Kind.secureConnection, .tooLarge, .redirect, .closed])
  func `other failures aren't hidden`(_ kind: LoadError.Kind) async throws {
    let service = try await stale(Self.strict, .error(LoadError(kind, "no")))

    let error = await #expect(throws: LoadError.self) { try await service.load("/a") }

    #expect(error?.kind == kind)
  }

  private static let strict: Headers = [.cacheControl: "max-age=10"]

  @Test
  func `a stale response is used before the load's time is up, if the server doesn't respond`()
    async throws
  {
    let service = try await stale(Self.strict, .never)

    let load = Task { try await service.load(.get("/a").timeout(.seconds(10))) }
    try await service.transport.waitForRequests(count: 2)
    try await service.clock.waitForSleepers(count: 2, within: .seconds(10))
    service.clock.advance(by: .seconds(9))

    #expect(try await load.value.text == "one")
  }

  @Test func `cancelling a load during revalidation throws a cancellation error`() async throws {
    let service = try await stale(Self.strict, .never)
    let load = Task { try await service.load("/a") }
    try await service.transport.waitForRequests(count: 2)

    load.cancel()

    await #expect(throws: CancellationError.self) { try await load.value }
  }
}

extension CachedService {
  /// Waits until a path is stored and fresh.
  func untilFresh(_ path: RequestPath) async throws {
    while true {
      let loaded = try? await load(
        .get(path).cachePolicy(.cacheOnly).header(.cacheControl, "max-stale=0"))
      if let loaded, !loaded.source.contains("stale") { return }
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
