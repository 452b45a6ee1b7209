import Foundation
import ResourceLoading
import ResourceTesting
import ResourceTracing
import Synchronization
import TestSupport
import Testing

/// A span has the name and the attributes of a request, and none of its secrets.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct TraceSpanTests {
  private let transport = StubTransport()
  private let recorded = Recorded()

  init() { transport.stub("*", .json("1")) }

  private func client(_ base: String = "https://api.example.org/v2") throws -> Client {
    let url = try #require(URL(string: base))
    return Client(baseURL: url) {
      $0.transport = transport
      $0.tracer = SpanTracer(recorded)
    }
  }

  @Test(arguments: [
    (Request.get("/users/\("octocat")/repos/\(7)"), "/v2/users/{}/repos/{}"),
    (Request.get("users/\("..b/")"), "/v2/users/{}"),
    (Request.get("/search?q=\("text")&page=2"), "/v2/search"),
    (Request.get("/files/\("a").\("json")"), "/v2/files/{}.{}"),
    (Request.get("/"), "/v2/"),
    (Request.get("https://api.example.org/users/\("octocat")?q=1"), "/users/{}"),
    (Request.get("/plain").query(["a": "b"]), "/v2/plain"),
    (Request(.get, "/users/\("ä")").below(URL(filePath: "/")), "/v2/users/{}"),
  ])
  func `the template is the path as written, without its values`(
    _ request: Request, _ template: String
  )
    async throws
  {
    try await client().load(.void(request))

    #expect(recorded.spans.map { $0["url.template"] } == [.string(template), .string(template)])
    #expect(recorded.spans.map(\.name) == ["GET \(template)", "GET \(template)"])
  }

  @Test func `a path from plain text has no template, and neither has a URL`() async throws {
    let client = try client()
    var changed = Request.get("/users/\(1)")
    changed.address = .url(try #require(URL(string: "https://api.example.org/users/2")))

    let text = "/users/1"
    try await client.load(.void(Request(.get, RequestPath(text))))
    try await client.load(.void(Request(.get, RequestPath(encoded: text))))
    try await client.load(.void(try #require(URL(string: "https://api.example.org/users/1"))))
    try await client.load(.void(changed))

    #expect(recorded.spans.allSatisfy { $0["url.template"] == nil && $0.name == "GET" })
    #expect(recorded.spans.count == 8)
  }

  @Test func `requests are equal however their paths were written`() {
    let (one, other) = (Request.get("/users/\(1)"), Request.get("/users/1"))

    #expect(one == other && Set([one, other]).count == 1)
    #expect(RequestPath(encoded: "/users/1") == ("/users/\(1)" as RequestPath))
  }

  @Test func `an IPv6 address has no brackets, and the port is always given`() async throws {
    try await client("http://[::1]:8080").load(.void(.get("/")))
    try await client("https://example.org").load(.void(.get("/")))

    let loads = recorded.loads
    #expect(loads.map { $0["server.address"] } == [.string("::1"), .string("example.org")])
    #expect(loads.map { $0["server.port"] } == [.integer(8080), .integer(443)])
  }

  @Test func `events and the log have the identifiers of the load's span`() async throws {
    let events = Mutex<[LoadEvent]>([])
    let lines = Mutex<[String]>([])
    let url = try #require(URL(string: "https://api.example.org"))
    let client = Client(baseURL: url) {
      $0.transport = transport
      $0.tracer = SpanTracer(recorded)
      $0.middleware = [
        LoggingMiddleware(.lines, to: { line in lines.withLock { $0.append(line) } })
      ]
      $0.observer = { event in events.withLock { $0.append(event) } }
    }

    try await client.load(.void(.get("/")))

    let span = try #require(recorded.loads.first)
    let traces = events.withLock { $0.map(\.trace) }
    let ids = "trace=\(span.context.traceID) span=\(span.context.spanID)"
    #expect(traces.first == .some(nil) && traces.count > 3)
    #expect(traces.dropFirst().allSatisfy { $0.map { "\($0)" } == ids })
    #expect(traces.last??.traceID == "\(span.context.traceID)")
    #expect(traces.last??.spanID == "\(span.context.spanID)")
    #expect(events.withLock { $0.last?.description.hasSuffix(ids) } == true)
    #expect(lines.withLock { $0.count == 2 && $0.allSatisfy { $0.hasSuffix(ids) } })
    #expect(traces.last?.map(TraceContext.init)?.spanID == span.context.spanID)
  }

  @Test func `a recorder's identifiers are sent`() async throws {
    struct Other: SpanRecorder {
      let context = TraceContext.root()
      func begin(_ span: TraceSpan) -> TraceContext? {
        span.kind == .exchange ? context : nil
      }
      func end(_ span: TraceSpan) {
        #expect(span.kind == .load || span.context == context)
      }
    }
    let other = Other()
    let url = try #require(URL(string: "https://api.example.org"))
    let client = Client(baseURL: url) {
      $0.transport = transport
      $0.tracer = SpanTracer(recorded, other)
    }

    try await client.load(.void(.get("/")))

    #expect(transport.requests[0].headers[.traceparent] == other.context.traceparent)
    #expect(recorded.exchanges[0].context == other.context)
  }

  @Test func `identifiers come from the given generator`() async throws {
    let url = try #require(URL(string: "https://api.example.org"))
    for _ in 0..<2 {
      let client = Client(baseURL: url) {
        $0.transport = transport
        $0.tracer = SpanTracer(recorded, using: SeededGenerator(seed: 25))
      }
      try await client.load(.void(.get("/")))
    }

    #expect(recorded.spans[0].context == recorded.spans[2].context)
    #expect(recorded.spans[1].context == recorded.spans[3].context)
    #expect(Set(recorded.spans.map(\.context)).count == 2)
  }

  @Test func `a dry run isn't traced`() async throws {
    let run = try await client().dryRun(Resource.void(.get("/")))

    #expect(run.request?.headers[.traceparent] == nil && recorded.beginnings.isEmpty)
  }

  @Test func `each span that begins ends once, even in stages that share loads`() async throws {
    let url = try #require(URL(string: "https://api.example.org"))
    let client = Client(baseURL: url) {
      $0.transport = transport
      $0.tracer = SpanTracer(recorded)
      $0.middleware = [CoalescingMiddleware()]
    }

    try await client.load(.void(.get("/")))

    #expect(recorded.spans.map(\.kind) == [.exchange, .load])
    #expect(recorded.beginnings.count == 2)
  }

  @Test func `the caller's own headers are replaced where the trace is sent, and kept elsewhere`()
    async throws
  {
    let own: Headers = [.traceparent: "own", .tracestate: "own=1", .baggage: "own=1"]
    var elsewhere = Request.get("https://other.example.org/")
    (elsewhere.headers, elsewhere.options.crossOriginHeaders) = (own, nil)
    let client = try client()

    try await client.load(.void(.get("/").headers(own)))
    try await client.load(.void(elsewhere))

    let sent = transport.requests.map(\.headers)
    #expect(sent[0][.traceparent] == recorded.exchanges[0].context.traceparent)
    #expect(sent[0][.tracestate] == nil && sent[0][.baggage] == "own=1")
    #expect(sent[1][.traceparent] == "own" && sent[1][.tracestate] == "own=1")
  }

  @Test func `a base URL that is upgraded to https gets the headers, too`() async throws {
    let url = try #require(URL(string: "http://api.example.org"))
    let client = Client(baseURL: url) {
      $0.transport = transport
      $0.tracer = SpanTracer(recorded)
      $0.strictTransportSecurity = StrictTransportSecurity(
        preloaded: [.init(host: "api.example.org")])
    }

    try await client.load(.void(.get("/")))

    #expect(transport.requests[0].url.scheme == "https")
    #expect(transport.requests[0].headers[.traceparent] != nil)
  }

  @Test func `a signature covers the headers of the trace`() async throws {
    let url = try #require(URL(string: "https://api.example.org"))
    let client = Client(baseURL: url) {
      $0.transport = transport
      $0.tracer = SpanTracer(recorded)
      $0.sign = { draft, _ in draft.headers["X-Signed"] = draft.headers[.traceparent] }
    }

    try await client.load(.void(.get("/")))

    let headers = transport.requests[0].headers
    #expect(headers[.traceparent] != nil && headers["X-Signed"] == headers[.traceparent])
  }
}
