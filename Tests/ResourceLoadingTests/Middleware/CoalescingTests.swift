import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CoalescingTests {
  private let transport = StubTransport()
  private let events = EventLog()
  private let gate = Gate()
  private let base = "https://api.example.org/"

  private func client(
    timeout: Duration? = nil, clock: any Clock<Duration> = ContinuousClock(),
    _ middleware: any Middleware...
  ) throws -> Client {
    let url = try #require(URL(string: base))
    return Client(baseURL: url) {
      $0.transport = transport
      $0.middleware = middleware.isEmpty ? [CoalescingMiddleware()] : middleware
      $0.observer = events.note
      $0.options.timeout = timeout
      $0.clock = clock
    }
  }

  @Test func `a thousand loads share one request, and each parses the response`() async throws {
    transport.stub("*", .json("42").waiting(for: gate))
    let (client, parsed) = (try client(), Counter())
    let resource = Resource(.get("/")) { response in
      parsed.increment()
      return response.body.count
    }

    let loads = (0..<1000).map { _ in client.promise(for: resource) }
    try await events.wait(for: 999, "coalesced")
    gate.open()
    let sizes = try await Promise.all(loads).get()

    #expect(sizes == Array(repeating: 2, count: 1000))
    #expect(parsed.value == 1000)
    #expect(transport.requests.count == 1)
  }

  @Test func `a load that begins after the response is sent again`() async throws {
    transport.stub("*", .json("1"), .json("2"))
    let client = try client()

    #expect(try await client.load(.text(.get("/"))) == "1")
    #expect(try await client.load(.text(.get("/"))) == "2")
  }

  @Test(arguments: Engine.allCases)
  func `the exchange continues while a load waits, and is cancelled with the last`(_ engine: Engine)
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in [.wait(gate), .response(body: "ok")] }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [CoalescingMiddleware()]
      $0.observer = events.note
    }

    let loads = (0..<1000).map { _ in client.promise(for: Resource.text(.get("/"))) }
    try await events.wait(for: 999, "coalesced")
    _ = try await server.waitForRequests(count: 1)
    for load in loads.dropLast() { load.cancel() }
    for load in loads.dropLast() {
      await #expect(throws: CancellationError.self) { try await load.get() }
    }
    try await events.wait(for: 999, "failed")
    #expect(server.statistics.disconnects == 0)
    loads.last?.cancel()

    try await server.waitForDisconnects(count: 1)
    #expect(server.requests.count == 1)
  }

  @Test func `the other loads get the response although the first was cancelled`() async throws {
    transport.stub("*", .json("ok").waiting(for: gate))
    let client = try client()

    let first = client.promise(for: Resource.text(.get("/")))
    try await transport.waitForRequests(count: 1)
    let second = client.promise(for: Resource.text(.get("/")))
    try await events.wait(for: 1, "coalesced")
    first.cancel()
    try await events.wait(for: 1, "failed")
    gate.open()

    #expect(try await second.get() == "ok")
    #expect(transport.cancellations.isEmpty)
    #expect(events.names(of: 1) == ["started", "sent", "failed"])
    #expect(events.names(of: 2) == ["started", "coalesced", "received", "completed", "parsed"])
  }

  static let others: [Request] = {
    var limited = Request.get("/")
    limited.options.maximumBodySize = 1 << 20
    return [
      .head("/"), .post("/"), .get("/other"), Request(.get, "/", query: ["a": "1"]),
      Request(.get, "/", headers: [.authorization: "Bearer b"]),
      Request(.get, "/", headers: [.accept: "text/plain"]), limited,
    ]
  }()

  @Test(arguments: others)
  func `a request with any difference is sent separately`(_ other: Request) async throws {
    transport.stub("*", .json("ok").waiting(for: gate))
    let client = try client()

    let loads = [.get("/"), other].map { client.promise(for: Resource.void($0)) }
    try await transport.waitForRequests(count: 2)
    gate.open()

    _ = try await Promise.all(loads).get()
    #expect(events.count(of: "coalesced") == 0)
  }

  @Test func `loads with different time limits, priorities and progress share a request`()
    async throws
  {
    transport.stub("*", .json("ok").waiting(for: gate))
    let client = try client()

    let loads = (1...10).map { number in
      var request = Request.get("/").priority(Request.Priority.allCases[number % 3])
      request.options.timeout = .seconds(60) + .milliseconds(number)
      request.options.attemptTimeout = .seconds(60) - .milliseconds(number)
      request.options.idleTimeout = .seconds(60) - .milliseconds(number)
      return client.promise(for: Resource.text(request).onProgress { _ in })
    }
    try await events.wait(for: 9, "coalesced")
    gate.open()

    #expect(try await Set(Promise.all(loads).get()) == ["ok"])
    #expect(transport.requests.count == 1)
  }

  @Test func `a load outlives an exchange with a shorter limit`() async throws {
    let clock = ManualClock()
    transport.stub("*", .never, .json("ok"))
    let client = try client(clock: clock)
    func load(_ limit: Duration) -> Promise<String> {
      var request = Request.get("/")
      request.options.attemptTimeout = limit
      return client.promise(for: .text(request))
    }

    let impatient = load(.seconds(1))
    try await transport.waitForRequests(count: 1)
    let patient = load(.seconds(60))
    try await events.wait(for: 1, "coalesced")
    try await clock.waitForSleepers(count: 1, within: .seconds(1))
    clock.advance(by: .seconds(1))

    let error = await #expect(throws: LoadError.self) { try await impatient.get() }
    #expect(error?.kind == .timedOut)
    #expect(try await patient.get() == "ok")
  }

  @Test func `a request that may change something is never shared`() async throws {
    transport.stub("*", .json("ok").waiting(for: gate))
    let client = try client()

    let loads = (0..<2).map { _ in client.promise(for: Resource.void(.put("/"))) }
    try await transport.waitForRequests(count: 2)
    gate.open()

    _ = try await Promise.all(loads).get()
  }

  @Test func `a failure is shared, and each error has its details`() async throws {
    transport.stub("*", .error(LoadError(.connection, "cut")).waiting(for: gate))
    let client = try client()

    let loads = (0..<10).map { _ in client.promise(for: Resource.void(.get("/"))) }
    try await events.wait(for: 9, "coalesced")
    gate.open()

    for load in loads {
      let error = await #expect(throws: LoadError.self) { try await load.get() }
      #expect(error?.reason == "cut")
      #expect(error?.curlCommand == "curl '\(base)'")
      #expect(error?.attempts.map(\.description) == ["GET \(base) → connection failed"])
    }
    #expect(transport.requests.count == 1)
  }

  @Test func `each load has its own time, and the exchange that of the last`() async throws {
    let clock = ManualClock()
    transport.stub("*", .json("ok").waiting(for: gate))
    let client = try client(timeout: .seconds(10), clock: clock)

    let early = client.promise(for: Resource.text(.get("/")))
    try await transport.waitForRequests(count: 1)
    clock.advance(by: .seconds(8))
    let late = client.promise(for: Resource.text(.get("/")))
    try await events.wait(for: 1, "coalesced")
    try await clock.waitForSleepers(count: 2, within: .seconds(10))
    clock.advance(by: .seconds(2))

    let error = await #expect(throws: LoadError.self) { try await early.get() }
    #expect(error?.kind == .timedOut)
    #expect(error?.attempts.count == 1)
    #expect(transport.cancellations.isEmpty)
    clock.advance(by: .seconds(7))
    gate.open()
    #expect(try await late.get() == "ok")
    #expect(transport.requests.count == 1)
  }

  @Test func `the exchange ends when the time of all loads has passed`() async throws {
    let clock = ManualClock()
    transport.stub("*", .never)
    let client = try client(timeout: .seconds(10), clock: clock)

    let load = client.promise(for: Resource.text(.get("/")))
    try await transport.waitForRequests(count: 1)
    try await clock.waitForSleepers(count: 1, within: .seconds(10))
    clock.advance(by: .seconds(10))

    let error = await #expect(throws: LoadError.self) { try await load.get() }
    #expect(error?.kind == .timedOut)
    try await transport.waitForCancellations(count: 1)
  }

  @Test func `each load reports the progress`() async throws {
    transport.stub("*", .json("12345").waiting(for: gate))
    let client = try client()
    let steps = Mutex<[Int: Int64]>([:])

    let loads = (0..<3).map { index in
      client.promise(
        for: Resource.text(.get("/")).onProgress { step in
          steps.withLock { $0[index] = Int64(step.completed) }
        })
    }
    try await events.wait(for: 2, "coalesced")
    gate.open()
    _ = try await Promise.all(loads).get()

    #expect(steps.withLock(\.self) == [0: 5, 1: 5, 2: 5])
  }

  @Test func `closing the client ends the exchange`() async throws {
    transport.stub("*", .never)
    let client = try client()

    let loads = (0..<5).map { _ in client.promise(for: Resource.text(.get("/"))) }
    try await events.wait(for: 4, "coalesced")
    try await transport.waitForRequests(count: 1)
    client.close()

    for load in loads {
      let error = await #expect(throws: LoadError.self) { try await load.get() }
      #expect(error?.kind == .closed)
    }
    try await transport.waitForCancellations(count: 1)
  }

  @Test func `a load that has ended sends nothing, although a stage in front goes on`()
    async throws
  {
    transport.stub("*", .json("ok"))
    let stage = StubbornMiddleware()
    let client = try client(stage, CoalescingMiddleware())

    let load = Task { try await client.load(.text(.get("/"))) }
    try await stage.begun.opened()
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    stage.gate.open()
    try await stage.ended.opened()

    #expect(transport.requests.isEmpty)
  }

  @Test func `a load that joins while the last one leaves isn't cancelled with it`() async throws {
    let client = try client()

    for _ in 0..<500 {
      let gate = Gate()
      transport.stub("*", .json("ok").waiting(for: gate))
      let sent = transport.requests.count
      let leaving = Task { try? await client.load(.text(.get("/"))) }
      try await transport.waitForRequests(count: sent + 1)
      let joining = Task { try await client.load(.text(.get("/"))) }
      let cancelling = Task { leaving.cancel() }
      await cancelling.value
      gate.open()
      #expect(try await joining.value == "ok")
      _ = await leaving.value
    }
  }

  @Test func `a middleware that is used twice in a chain doesn't wait for itself`() async throws {
    transport.stub("*", .json("ok"))
    let coalescing = CoalescingMiddleware()
    let client = try client(coalescing, coalescing)

    #expect(try await client.load(.text(.get("/"))) == "ok")
  }

  @Test func `clients with the same middleware don't share exchanges`() async throws {
    transport.stub("*", .json("ok").waiting(for: gate))
    let coalescing = CoalescingMiddleware()
    let clients = [try client(coalescing), try client(coalescing)]

    let loads = clients.map { $0.promise(for: Resource.text(.get("/"))) }
    try await transport.waitForRequests(count: 2)
    gate.open()

    #expect(try await Promise.all(loads).get() == ["ok", "ok"])
  }

  @Test(arguments: [200, 500] as [Status])
  func `a load after a write shares no exchange with one before it`(_ status: Status) async throws {
    transport.stub("GET /a", .json("0").waiting(for: gate), .json("1"))
    transport.stub("POST /a", .status(status))
    let client = try client()

    let early = client.promise(for: Resource.text(.get("/a")))
    try await transport.waitForRequests(count: 1)
    _ = try? await client.load(.void(.post("/a")))

    #expect(try await client.load(.text(.get("/a"))) == "1")
    gate.open()
    #expect(try await early.get() == "0")
  }

  @Test func `a load after a sign-out shares no exchange with one before it`() async throws {
    // Without a token, the key can't contain the credential of the exchange.
    let authentication = BearerAuthentication { _, _ in "alice" }
    transport.stub("*") { [gate] request in
      let answer = StubAnswer.json(request.headers[.authorization] ?? "nobody")
      return request.headers[.authorization] == nil ? answer : answer.waiting(for: gate)
    }
    let client = try client(CoalescingMiddleware(), authentication)

    let early = client.promise(for: Resource.text(.get("/")))
    try await transport.waitForRequests(count: 1)
    authentication.signOut()

    #expect(try await client.load(.text(.get("/"))) == "nobody")
    gate.open()
    #expect(try await early.get() == "Bearer alice")
  }

  /// Adds the user's name without declaring it.
  private struct HiddenUser: Middleware {
    let user: @Sendable () -> String

    func respond(to request: Request, next: Next) async throws -> Response {
      try await next(request.header("X-User", user()))
    }
  }

  @Test func `the response to an undeclared credential isn't shared`() async throws {
    transport.stub("*") { [gate] request in
      StubAnswer.json(request.headers["X-User"] ?? "").waiting(for: gate)
    }
    let user = Mutex("alice")
    let client = try client(
      CoalescingMiddleware(), HiddenUser { user.withLock(\.self) })

    let first = client.promise(for: Resource.text(.get("/")))
    try await transport.waitForRequests(count: 1)
    user.withLock { $0 = "bob" }
    let second = client.promise(for: Resource.text(.get("/")))
    try await events.wait(for: 1, "coalesced")
    gate.open()

    #expect(try await first.get() == "alice")
    #expect(try await second.get() == "bob")
  }

  @Test func `signed requests aren't shared`() async throws {
    transport.stub("*", .json("ok").waiting(for: gate))
    let client = Client(baseURL: URL(string: base)) {
      $0.transport = transport
      $0.middleware = [CoalescingMiddleware()]
      $0.sign = { draft, _ in draft.headers[.authorization] = "AWS" }
    }

    let loads = (0..<2).map { _ in client.promise(for: Resource.text(.get("/"))) }
    try await transport.waitForRequests(count: 2)
    gate.open()

    _ = try await Promise.all(loads).get()
  }

  @Test func `a dry run doesn't wait`() async throws {
    transport.stub("*", .never)
    let client = try client()

    let load = client.promise(for: Resource.text(.get("/")))
    try await transport.waitForRequests(count: 1)
    let run = try await client.dryRun(Resource.text(.get("/")))
    load.cancel()

    #expect(run.request?.url.absoluteString == base)
  }
}

/// A counter for any thread.
private final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  func increment() { count.add(1, ordering: .sequentiallyConsistent) }
}
