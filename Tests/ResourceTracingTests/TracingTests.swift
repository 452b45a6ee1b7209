import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceTesting
import ResourceTracing
import Synchronization
import TestSupport
import Testing

/// The spans that a collector gets for loads, their parents, and the headers that servers get.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct TracingTests {
  private let collector: Collector
  private let exporter: OTLPExporter
  private let recorded = Recorded()
  private let caller = TraceContext.root()

  init() throws {
    collector = try Collector()
    exporter = collector.exporter()
  }

  private func client(_ server: LoopbackServer, _ behind: any Middleware...) -> Client {
    Client(baseURL: server.url("/")) {
      $0.tracer = SpanTracer(exporter, recorded)
      $0.middleware = behind
    }
  }

  private func spans() async throws -> [CollectedSpan] {
    await exporter.flush()
    return try collector.spans
  }

  @Test func `a handshake carries its caller's context, and its spans end with it`()
    async throws
  {
    let transport = StubTransport()
    transport.stub("GET /live", .socket())
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
      $0.tracer = SpanTracer(recorded)
    }

    try await TraceContext.$current.withValue(caller) {
      try await client.socket(.get("/live")).withConnection { connection in
        try await recorded.wait(for: 2)
        try await connection.ping()
      }
    }

    let load = try #require(recorded.loads.first)
    let exchange = try #require(recorded.exchanges.first)
    #expect(load.parent?.spanID == caller.spanID)
    #expect(exchange.parent?.spanID == load.context.spanID)
    let handshake = try #require(transport.requests.first)
    #expect(handshake.headers[.traceparent] == exchange.context.traceparent)
  }

  @Test(arguments: Form.allCases)
  func
    `a load is a child of its caller, its request is a child of the load, and the server gets the headers`(
      _ form: Form
    ) async throws
  {
    let server = try LoopbackServer { LoopbackRoute("GET /users/octo%2Fcat", .json("1")) }
    defer { server.stop() }
    let client = client(server)
    var caller = caller
    caller.state.set("foo", to: "bar")

    let value = try await TraceContext.$current.withValue(caller) {
      try await form.load(.text(.get("/users/\("octo/cat")")), with: client)
    }

    let spans = try await spans()
    let load = try #require(spans.loads.first)
    let exchange = try #require(spans.exchanges.first)
    #expect(value == "1" && spans.count == 2)
    #expect(load.traceId == caller.traceID.description && exchange.traceId == load.traceId)
    #expect(load.parentSpanId == caller.spanID.description)
    #expect(exchange.parentSpanId == load.spanId)
    #expect(server.requests.first?.position == exchange.position)
    #expect(server.requests.first?.header("tracestate") == "foo=bar")
    #expect(server.requests.first?.header("baggage") == nil)
    #expect(load.traceState == "foo=bar" && exchange.flags == 3)
    #expect(load.name == "GET /users/{}" && exchange.name == "GET /users/{}")
    #expect(exchange["http.request.method"] == "GET")
    #expect(exchange["url.template"] == "/users/{}")
    #expect(exchange["url.full"] == server.url("/users/octo%2Fcat").absoluteString)
    #expect(exchange["server.address"] == "127.0.0.1")
    #expect(exchange["server.port"] == "\(server.port)")
    #expect(exchange["http.response.status_code"] == "200")
    #expect(exchange["http.request.resend_count"] == nil && exchange["error.type"] == nil)
    #expect(load["resource_loading.source"] == "network" && load.status == nil)
    #expect(load.startTimeUnixNano <= exchange.startTimeUnixNano)
    #expect(exchange.endTimeUnixNano <= load.endTimeUnixNano)
    collector.stop()
  }

  @Test func `each attempt has a span with its number, and the load has one`() async throws {
    let cut: Script = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1"), .close]
    let server = try LoopbackServer {
      LoopbackRoute("GET /flaky", .status(503), cut, .json("1"))
    }
    defer { server.stop() }
    let policy = RetryPolicy(maximumAttempts: 3, backoff: Backoff(base: .zero))
    let client = client(server, RetryMiddleware(policy))

    _ = try await client.load(.text(.get("/flaky")))

    let spans = try await spans()
    let load = try #require(spans.loads.first)
    let attempts = spans.children(of: load)
    #expect(spans.count == 4 && attempts.count == 3 && load.parentSpanId == nil)
    #expect(attempts.map { $0["http.request.resend_count"] } == [nil, "1", "2"])
    #expect(attempts.map { $0["http.response.status_code"] } == ["503", "200", "200"])
    #expect(attempts.map { $0["error.type"] } == ["503", "connection", nil])
    #expect(attempts.map { $0.status?.code } == [2, 2, nil])
    #expect(load.status == nil && load["http.response.status_code"] == "200")
    #expect(server.requests.map(\.position) == attempts.map(\.position))
    collector.stop()
  }

  @Test func `each redirect has a span, and another origin gets no headers`() async throws {
    let other = try LoopbackServer { LoopbackRoute("GET /end", .json("1")) }
    let server = try LoopbackServer {
      LoopbackRoute("GET /a/*", .redirect(to: "/b"))
      LoopbackRoute("GET /b", .redirect(to: other.url("/end").absoluteString))
    }
    defer { other.stop() }
    defer { server.stop() }
    let client = Client(baseURL: server.url("/")) {
      $0.tracer = SpanTracer(exporter, sendsBaggage: true)
    }

    try await Baggage.$current.withValue(["key": "val ue"]) {
      _ = try await client.load(.text(.get("/a/\("x")")))
    }

    let spans = try await spans()
    let load = try #require(spans.loads.first)
    let hops = spans.children(of: load)
    #expect(hops.map(\.name) == ["GET /a/{}", "GET", "GET"])
    #expect(hops.map { $0["http.response.status_code"] } == ["302", "302", "200"])
    #expect(hops.map { $0["http.request.resend_count"] } == [nil, "1", "2"])
    #expect(
      hops.map { $0["server.port"] } == [server.port, server.port, other.port].map { "\($0)" })
    #expect(server.requests.map(\.position) == hops.prefix(2).map(\.position))
    #expect(server.requests.map { $0.header("baggage") } == ["key=val%20ue", "key=val%20ue"])
    let told = other.requests.flatMap(\.headers).map { $0.name.lowercased() }
    #expect(other.requests.count == 1)
    #expect(!told.contains { ["traceparent", "tracestate", "baggage"].contains($0) })
    collector.stop()
  }

  @Test func `another allowed origin gets the headers, even after a redirect`() async throws {
    let other = try LoopbackServer { LoopbackRoute("GET /end", .json("1")) }
    let server = try LoopbackServer {
      LoopbackRoute("GET /", .redirect(to: other.url("/end").absoluteString))
    }
    defer { other.stop() }
    defer { server.stop() }
    let allowed = Client(baseURL: server.url("/")) {
      $0.tracer = SpanTracer(exporter, propagation: .baseURL.and(other.url("/any")))
    }
    let everywhere = Client { $0.tracer = SpanTracer(propagation: .everywhere) }
    let unbound = Client { $0.tracer = SpanTracer() }
    let nowhere = Client(baseURL: server.url("/")) {
      $0.tracer = SpanTracer(propagation: .nowhere)
    }

    _ = try await allowed.load(.text(.get("/")))
    _ = try await everywhere.load(.text(server.url("/")))
    _ = try await unbound.load(.text(server.url("/")))
    _ = try await nowhere.load(.text(.get("/")))

    let exchanges = try await spans().exchanges
    #expect((server.requests + other.requests).map(\.position)[0] == exchanges[0].position)
    #expect(other.requests[0].position == exchanges[1].position)
    #expect(server.requests.map { $0.position != nil } == [true, true, false, false])
    #expect(other.requests.map { $0.position != nil } == [true, true, false, false])
    // Without a recorder nothing is recorded, and no server is told otherwise.
    #expect(exchanges.count == 2)
    collector.stop()
  }

  @Test func `loads that share a response have a span each, and only one has the request`()
    async throws
  {
    let gate = Gate()
    let server = try LoopbackServer { LoopbackRoute("GET /shared", [.wait(gate), .json("1")]) }
    defer { server.stop() }
    let coalesced = Gate()
    let client = Client(baseURL: server.url("/")) {
      $0.tracer = SpanTracer(exporter)
      $0.middleware = [CoalescingMiddleware()]
      $0.observer = { if case .coalesced = $0.kind { coalesced.open() } }
    }

    let first = client.promise(for: .text(.get("/shared")))
    try await server.waitForRequests(count: 1)
    let second = client.promise(for: .text(.get("/shared")))
    try await coalesced.opened()
    gate.open()
    _ = try await Promise.all(first, second).get()

    let spans = try await spans()
    let owner = try #require(spans.loads.first { !spans.children(of: $0).isEmpty })
    let guest = try #require(spans.loads.first { spans.children(of: $0).isEmpty })
    #expect(spans.count == 3 && server.requests.count == 1)
    #expect(guest.traceId != owner.traceId && owner.links == nil)
    #expect(guest.links?.map(\.spanId) == [owner.spanId])
    #expect(guest.links?.map(\.traceId) == [owner.traceId])
    collector.stop()
  }

  @Test func `a load from the cache has no request, and its span names the source`()
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("GET /", .response(headers: ["Cache-Control": "max-age=60"], body: "1"))
    }
    defer { server.stop() }
    let client = client(server, HTTPCache(.memory()))

    _ = try await client.load(.text(.get("/")))
    _ = try await client.load(.text(.get("/")))

    let spans = try await spans()
    #expect(spans.loads.map { $0["resource_loading.source"] } == ["network", "cache"])
    #expect(spans.loads.map { spans.children(of: $0).count } == [1, 0])
    #expect(spans.count == 3)
    collector.stop()
  }

  @Test func `a background revalidation is a child of the load that started it`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute(
        "GET /",
        .response(headers: ["Cache-Control": "max-age=0, stale-while-revalidate=60"], body: "1"))
    }
    defer { server.stop() }
    let client = client(server, HTTPCache(.memory()))

    _ = try await client.load(.text(.get("/")))
    _ = try await client.load(.text(.get("/")))
    try await server.waitForRequests(count: 2)
    // Two loads, and the request of each.
    try await recorded.wait(for: 4)
    let all = try await spans()

    let stale = try #require(all.loads.last)
    #expect(stale["resource_loading.source"] == "stale")
    #expect(all.children(of: stale).map(\.position) == [server.requests[1].position])
    collector.stop()
  }

  @Test func `a renewed token's request is a child of the load that needs it`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /") { request in
        request.header("Authorization") == "Bearer new" ? .json("1") : .status(401)
      }
      LoopbackRoute("POST /token", .json(#""new""#))
    }
    defer { server.stop() }
    let authentication = BearerAuthentication(token: "old") { _, loader in
      BearerToken(try await loader.load(Resource<String>(json: .post("/token"))))
    }
    let client = client(server, authentication)

    _ = try await TraceContext.$current.withValue(caller) {
      try await client.load(.text(.get("/")))
    }

    let spans = try await spans()
    let load = try #require(spans.loads.first)
    let requests = spans.children(of: load)
    #expect(spans.count == 4 && load.parentSpanId == caller.spanID.description)
    #expect(requests.map(\.name) == ["GET /", "POST /token", "GET /"])
    #expect(requests.map { $0["http.request.resend_count"] } == [nil, nil, "1"])
    #expect(server.requests.map(\.position) == requests.map(\.position))
    collector.stop()
  }

  @Test func `a load within a load is its child`() async throws {
    let server = try LoopbackServer { LoopbackRoute("GET /*", .json("1")) }
    defer { server.stop() }
    struct Asking: Middleware {
      let client: Client

      func respond(to request: Request, next: Next) async throws -> Response {
        _ = try await client.load(.text(.get("/inner")))
        return try await next(request)
      }
    }
    let outer = client(server, Asking(client: client(server)))

    _ = try await outer.load(.text(.get("/outer")))

    let spans = try await spans()
    let load = try #require(spans.loads.first { $0.name == "GET /outer" })
    #expect(Set(spans.children(of: load).map(\.name)) == ["GET /inner", "GET /outer"])
    #expect(spans.count == 4 && Set(spans.map(\.traceId)).count == 1)
    collector.stop()
  }

  @Test(arguments: Form.allCases)
  func `a failed load has an error, and an accepted status doesn't`(_ form: Form)
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("GET /broken", .json("{"))
      LoopbackRoute("GET /missing", .status(404))
    }
    defer { server.stop() }
    let client = client(server)
    var accepted = Resource.void(.get("/missing"))
    accepted.request.options.acceptedStatuses = .any

    await #expect(throws: LoadError.self) {
      try await form.load(Resource<Int>(json: .get("/broken")), with: client)
    }
    await #expect(throws: LoadError.self) {
      try await form.load(.void(.get("/missing")), with: client)
    }
    try await form.load(accepted, with: client)

    let spans = try await spans()
    #expect(spans.loads.map { $0["error.type"] } == ["parsing", "404", nil])
    #expect(spans.loads.map { $0.status?.code } == [2, 2, nil])
    #expect(spans.loads[1].status?.message?.contains("404") == true)
    #expect(spans.exchanges.map { $0["error.type"] } == [nil, "404", "404"])
    collector.stop()
  }

  @Test func `a cancelled load ends its spans`() async throws {
    let server = try LoopbackServer { LoopbackRoute("GET /", .silence) }
    defer { server.stop() }
    let client = client(server)

    let load = client.promise(for: .void(.get("/")))
    try await server.waitForRequests(count: 1)
    load.cancel()
    try await recorded.wait(for: 2)

    let all = try await spans()
    #expect(all.map { $0["error.type"] } == ["cancelled", "cancelled"])
    collector.stop()
  }

  @Test func `the span of a streamed load ends with the stream`() async throws {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute(
        "GET /log",
        [
          .head(200, headers: ["Transfer-Encoding": "chunked"]), .chunk("a\n"), .wait(gate),
          .chunk("b\n"), .lastChunk(),
        ])
    }
    defer { server.stop() }
    let client = client(server)

    let stream = try await client.stream(.get("/log"))
    var lines: [String] = []
    for try await line in stream.lines {
      if lines.isEmpty { #expect(try await spans().isEmpty) }
      lines.append(line)
      gate.open()
    }
    try await recorded.wait(for: 2)

    let all = try await spans()
    #expect(lines == ["a", "b"])
    #expect(all.children(of: try #require(all.loads.first)).count == 1)
    #expect(all.allSatisfy { $0.status == nil })
    collector.stop()
  }

  @Test func `an unknown method isn't part of the span's name`() async throws {
    let server = try LoopbackServer { LoopbackRoute("/*", .status(204)) }
    defer { server.stop() }
    let client = client(server)

    try await client.load(.void(Request(Request.Method(rawValue: "BREW"), "/pot/\(1)")))

    let spans = try await spans()
    #expect(spans.map(\.name) == ["HTTP /pot/{}", "HTTP /pot/{}"])
    #expect(spans.map { $0["http.request.method"] } == ["_OTHER", "_OTHER"])
    #expect(spans.map { $0["http.request.method_original"] } == ["BREW", "BREW"])
    collector.stop()
  }

  @Test func `the headers of a load that isn't sampled are sent, and nothing is recorded`()
    async throws
  {
    let server = try LoopbackServer { LoopbackRoute("GET /", .json("1")) }
    defer { server.stop() }
    let unsampled = TraceContext.root(isSampled: false)
    let client = client(server)

    try await TraceContext.$current.withValue(unsampled) {
      _ = try await client.load(.text(.get("/")))
    }

    #expect(try await spans().isEmpty)
    let context = try #require(
      TraceContext(traceparent: server.requests[0].header("traceparent") ?? ""))
    #expect(context.traceID == unsampled.traceID && context.spanID != unsampled.spanID)
    #expect(!context.isSampled)
    collector.stop()
  }

  @Test func `the protocol and the peer are in the span if the engine knows them`() async throws {
    let server = try LoopbackServer { LoopbackRoute("GET /", .json("1")) }
    defer { server.stop() }
    let known = Mutex<ExchangeMetrics?>(nil)
    let client = Client(baseURL: server.url("/")) {
      $0.tracer = SpanTracer(exporter)
      $0.observer = { event in
        guard case .measured(let metrics) = event.kind else { return }
        known.withLock { $0 = metrics }
      }
    }

    _ = try await client.load(.text(.get("/")))

    let metrics = try #require(known.withLock { $0 })
    let version = metrics.httpVersion
    let exchange = try #require(try await spans().exchanges.first)
    #expect(exchange["network.protocol.version"] == version.map { String($0.dropFirst(5)) })
    #expect(version == nil || metrics.peer?.address == "127.0.0.1")
    #expect(exchange["network.peer.address"] == metrics.peer?.address)
    #expect(exchange["network.peer.port"] == metrics.peer.map { "\($0.port)" })
    #expect(metrics.peer == nil || metrics.peer?.port == server.url("/").port)
    collector.stop()
  }
}
