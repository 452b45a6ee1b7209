import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ConcurrencyLimitTests {
  private let service = StubbedService()
  private var transport: StubTransport { service.transport }
  private var events: EventLog { service.events }
  private var clock: ManualClock { service.clock }

  @Test func `no more loads than the limit run, and all complete`() async throws {
    let gate = Gate()
    transport.stub("*", .json("ok").waiting(for: gate))
    let client = try service.client(ConcurrencyLimitMiddleware(maximumRequestsPerHost: 4))

    let loads = (0..<100).map { _ in client.promise(for: Resource.text(.get("/"))) }
    try await events.wait(for: 96, "queued")
    try await transport.waitForRequests(count: 4)
    gate.open()

    #expect(try await Promise.all(loads).get().count == 100)
    #expect(transport.peakInFlight == 4)
    #expect(events.count(of: "queued") == 96)
  }

  @Test func `waiting loads continue in the order of their arrival`() async throws {
    let gate = Gate()
    transport.stub("*", .json("ok").waiting(for: gate))
    let client = try service.client(ConcurrencyLimitMiddleware(maximumRequests: 1))

    var loads = [client.promise(for: Resource.text(.get("/0")))]
    try await transport.waitForRequests(count: 1)
    for index in 1..<20 {
      loads.append(client.promise(for: Resource.text(.get("/\(index)"))))
      try await events.wait(for: index, "queued")
    }
    gate.open()

    _ = try await Promise.all(loads).get()
    #expect(transport.requests.map { $0.url.path() } == (0..<20).map { "/\($0)" })
  }

  @Test func `a full host doesn't delay another`() async throws {
    transport.stub("/stuck", .never)
    transport.stub("*", .json("ok"))
    let client = try service.client(
      ConcurrencyLimitMiddleware(maximumRequestsPerHost: 1, maximumRequests: 2))

    let stuck = (0..<5).map { _ in client.promise(for: Resource.text(.get("/stuck"))) }
    try await events.wait(for: 4, "queued")
    for _ in 0..<5 { #expect(try await client.load(service.other()) == "ok") }

    for load in stuck { load.cancel() }
  }

  @Test func `a cancelled load leaves the queue or returns its turn`() async throws {
    transport.stub("/stuck", .never)
    transport.stub("*", .json("ok"))
    let client = try service.client(ConcurrencyLimitMiddleware(maximumRequestsPerHost: 1))

    let stuck = client.promise(for: Resource.text(.get("/stuck")))
    try await transport.waitForRequests(count: 1)
    let waiting = client.promise(for: Resource.text(.get("/never-sent")))
    let last = client.promise(for: Resource.text(.get("/")))
    try await events.wait(for: 2, "queued")
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.get() }
    stuck.cancel()

    #expect(try await last.get() == "ok")
    #expect(transport.requests.map { $0.url.path() } == ["/stuck", "/"])
  }

  @Test func `a turn isn't lost if it comes at the moment of cancellation`() async throws {
    let client = try service.client(ConcurrencyLimitMiddleware(maximumRequests: 1))

    for round in 1...500 {
      let gate = Gate()
      transport.stub("*", .json("ok").waiting(for: gate))
      let first = client.promise(for: Resource.text(.get("/")))
      try await gate.waitForArrivals(count: 1)
      let second = client.promise(for: Resource.text(.get("/")))
      try await events.wait(for: round, "queued")
      let cancelling = Task { second.cancel() }
      gate.open()
      _ = try await first.get()
      _ = await cancelling.value
      _ = try? await second.get()
    }

    #expect(try await client.load(.text(.get("/"))) == "ok")
  }

  @Test func `failures and refused requests return their turns`() async throws {
    transport.stub("*", .error(LoadError(.connection, "cut")))
    let client = try service.client(
      ConcurrencyLimitMiddleware(maximumRequestsPerHost: 1, maximumRequests: 1))

    for _ in 0..<3 {
      await #expect(throws: LoadError.self) { try await client.load(.text(.get("/"))) }
      let refused = Request(.get, "/", headers: ["X-Bad": "a\nb"])
      await #expect(throws: LoadError.self) { try await client.load(.text(refused)) }
    }

    #expect(transport.requests.count == 3)
  }

  @Test func `waiting for a turn ends with the load's time`() async throws {
    transport.stub("*", .never)
    let client = try service.client(
      ConcurrencyLimitMiddleware(maximumRequestsPerHost: 1), timeout: .seconds(10))

    let loads = (0..<2).map { _ in client.promise(for: Resource.text(.get("/"))) }
    try await events.wait(for: 1, "queued")
    try await transport.waitForRequests(count: 1)
    try await clock.waitForSleepers(count: 2, within: .seconds(10))
    clock.advance(by: .seconds(10))

    for load in loads {
      let error = await #expect(throws: LoadError.self) { try await load.get() }
      #expect(error?.kind == .timedOut)
    }
    #expect(transport.requests.count == 1)
  }

  @Test func `clients can share a limit`() async throws {
    let gate = Gate()
    transport.stub("*", .json("ok").waiting(for: gate))
    let limit = ConcurrencyLimitMiddleware(maximumRequestsPerHost: 1)
    let clients = [try service.client(limit), try service.client(limit)]

    let loads = clients.map { $0.promise(for: Resource.text(.get("/"))) }
    try await events.wait(for: 1, "queued")
    gate.open()

    _ = try await Promise.all(loads).get()
    #expect(transport.peakInFlight == 1)
  }

  @Test func `renewing a token behind a full limit doesn't wait for itself`() async throws {
    transport.stub("POST /token", .json("new"))
    transport.stub("*") { request in
      request.headers[.authorization] == "Bearer new" ? .json("ok") : .status(401)
    }
    let authentication = BearerAuthentication(token: "old") { _, loader in
      BearerToken(try await loader.load(.text(.post("/token"))))
    }
    let limit = ConcurrencyLimitMiddleware(maximumRequests: 1)

    for middleware: [any Middleware] in [[limit, authentication], [authentication, limit]] {
      authentication.signIn("old")
      let url = try #require(URL(string: "https://api.example.org"))
      let client = Client(baseURL: url) {
        $0.transport = transport
        $0.middleware = middleware
      }
      let loads = (0..<20).map { _ in client.promise(for: Resource.text(.get("/"))) }
      #expect(try await Promise.all(loads).get() == Array(repeating: "ok", count: 20))
    }

    #expect(transport.requests.count { $0.url.path() == "/token" } == 2)
  }

  @Test func `a dry run doesn't wait for a turn`() async throws {
    transport.stub("*", .never)
    let client = try service.client(
      ConcurrencyLimitMiddleware(maximumRequests: 1),
      RateLimitMiddleware(1, per: .seconds(60), of: .allHosts)
    )

    let load = client.promise(for: Resource.text(.get("/")))
    try await transport.waitForRequests(count: 1)
    let run = try await client.dryRun(Resource.text(.get("/")))

    #expect(run.request != nil)
    load.cancel()
  }
}
