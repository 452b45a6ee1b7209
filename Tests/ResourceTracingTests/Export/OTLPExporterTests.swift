import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import ResourceTracing
import Synchronization
import TestSupport
import Testing

/// Exporting spans to collectors, including slow, failing and unreachable ones.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct OTLPExporterTests {
  private let transport = StubTransport()

  init() { transport.stub("*", .json("1")) }

  /// Loads often enough to record this many spans.
  private func record(_ spans: Int, to recorder: any SpanRecorder) async throws {
    let client = Client {
      $0.transport = transport
      $0.tracer = SpanTracer(recorder)
    }
    let url = try #require(URL(string: "https://api.example.org/"))
    for _ in 0..<spans / 2 { _ = try await client.load(.void(url)) }
  }

  @Test func `a document has the form that the protocol requires`() async throws {
    let collector = try Collector()
    defer { collector.stop() }
    let exporter = collector.exporter {
      $0.headers["X-Key"] = "key"
      $0.resource["host.name"] = #"a"b"#
    }

    try await record(2, to: exporter)
    await exporter.flush()

    let request = try #require(collector.server.requests.first)
    #expect(request.target == "/v1/traces" && request.header("X-Key") == "key")
    #expect(request.header("Content-Type") == "application/json")
    #expect(request.header("traceparent") == nil)
    let document = try #require(
      try JSONSerialization.jsonObject(with: request.body) as? [String: Any])
    #expect(Array(document.keys) == ["resourceSpans"])
    #expect(request.text.contains(#"{"key":"host.name","value":{"stringValue":"a\"b"}}"#))
    #expect(request.text.contains(#"{"key":"server.port","value":{"intValue":"443"}}"#))
    let span = try #require(try collector.spans.first)
    #expect(span.traceId.utf8.count == 32 && span.spanId.utf8.count == 16)
    let start = try #require(Int64(span.startTimeUnixNano))
    let end = try #require(Int64(span.endTimeUnixNano))
    #expect(start <= end)
    #expect(abs(Double(start) / 1e9 - Date().timeIntervalSince1970) < 3600)
    #expect(exporter.counts.exported == 2)
  }

  @Test func `onFailure is called with the reason why spans weren't exported`() async throws {
    let collector = try Collector(
      .json(#"{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}}"#),
      .json(#"{"message": "no such key"}"#, status: 401))
    defer { collector.stop() }
    let failures = Mutex<[LoadError]>([])
    let exporter = collector.exporter {
      $0.onFailure = { error in failures.withLock { $0.append(error) } }
    }

    for _ in 0..<2 {
      try await record(2, to: exporter)
      await exporter.flush()
    }

    let told = failures.withLock(\.self)
    #expect(told.map(\.kind) == [.tracing, .authentication])
    #expect(told.map(\.serverMessage) == ["too old", "no such key"])
    #expect(exporter.counts.rejected == 3 && exporter.counts.exported == 1)
  }

  @Test(arguments: ["", "/", "/v1/traces", "/v1/traces/", "/behind/v1/traces"])
  func `the path /v1/traces is added only once`(_ path: String) async throws {
    let collector = StubTransport()
    collector.stub("*", .json("{}"))
    let url = try #require(URL(string: "https://collector.example.org\(path)"))
    let exporter = OTLPExporter(url, service: "test") {
      $0.configureClient = { $0.transport = collector }
    }

    try await record(2, to: exporter)
    await exporter.flush()

    let target = path.hasPrefix("/behind") ? "/behind/v1/traces" : "/v1/traces"
    #expect(collector.requests.map { $0.url.path() } == [target])
  }

  @Test(arguments: [Duration.seconds(10_000_000_000), .seconds(-10_000_000_000)])
  func `a date outside the protocol's range becomes the nearest one in it`(_ shift: Duration)
    async throws
  {
    let (collector, clock) = (try Collector(), ShiftedClock())
    defer { collector.stop() }
    let exporter = collector.exporter()
    let client = Client {
      $0.transport = transport
      $0.clock = clock
      $0.tracer = SpanTracer(exporter)
    }
    clock.shift(by: shift)

    try await client.load(.void(try #require(URL(string: "https://api.example.org/"))))
    await exporter.flush()

    let nearest = shift > .zero ? "9200000000000000000" : "0"
    #expect(try collector.spans.map(\.startTimeUnixNano) == [nearest, nearest])
  }

  @Test func `a full batch is sent at once, and the rest after the delay`() async throws {
    let (collector, clock) = (try Collector(), ManualClock())
    defer { collector.stop() }
    let exporter = collector.exporter {
      $0.maximumBatchSize = 4
      $0.delay = .seconds(5)
      $0.configureClient = { $0.clock = clock }
    }

    try await record(4, to: exporter)
    try await collector.server.waitForRequests(count: 1)
    // Waits until the batch has been sent.
    await exporter.flush()
    try await record(2, to: exporter)
    try await clock.waitForSleepers(count: 1, within: .seconds(5))
    clock.advance(by: .seconds(5))
    try await collector.server.waitForRequests(count: 2)

    #expect(try collector.spans.count == 6)
  }

  @Test(arguments: [429, 502, 503, 504])
  func `a batch for a busy collector is sent again`(_ status: Int) async throws {
    let collector = try Collector(.status(status, headers: ["Retry-After": "0"]), .json("{}"))
    defer { collector.stop() }
    let exporter = collector.exporter()

    try await record(2, to: exporter)
    await exporter.flush()

    #expect(collector.server.requests.count == 2)
    #expect(exporter.counts.exported == 2 && exporter.counts.rejected == 0)
  }

  @Test(arguments: [400, 401, 500])
  func `a refused batch isn't sent again, and its spans are counted`(_ status: Int)
    async throws
  {
    let collector = try Collector(.status(status))
    defer { collector.stop() }
    let exporter = collector.exporter()

    try await record(2, to: exporter)
    await exporter.flush()

    #expect(collector.server.requests.count == 1)
    #expect(exporter.counts.exported == 0 && exporter.counts.rejected == 2)
  }

  @Test(arguments: [#""1""#, "1"])
  func `spans that a collector rejects from a batch are counted`(_ number: String) async throws {
    let collector = try Collector(
      .json(#"{"partialSuccess": {"rejectedSpans": \#(number), "errorMessage": "old"}}"#))
    defer { collector.stop() }
    let exporter = collector.exporter()

    try await record(4, to: exporter)
    await exporter.flush()

    #expect(exporter.counts.exported == 3 && exporter.counts.rejected == 1)
  }

  @Test(arguments: ["-1", #""-9223372036854775808""#, "-1e30"])
  func `an impossible number of rejected spans is ignored`(_ number: String) async throws {
    let collector = try Collector(.json(#"{"partialSuccess": {"rejectedSpans": \#(number)}}"#))
    defer { collector.stop() }
    let exporter = collector.exporter()

    try await record(2, to: exporter)
    await exporter.flush()

    #expect(exporter.counts.exported == 2 && exporter.counts.rejected == 0)
  }

  @Test func `a clock that is centuries ahead, and a status below zero, are exported`()
    async throws
  {
    let (collector, clock, odd) = (try Collector(), ManualClock(), StubTransport())
    defer { collector.stop() }
    odd.stub("*", .status(-1))
    let exporter = collector.exporter()
    let client = Client {
      $0.transport = odd
      $0.clock = clock
      $0.tracer = SpanTracer(exporter)
    }
    clock.advance(by: .seconds(300 * 365 * 86_400))

    let url = try #require(URL(string: "https://api.example.org/"))
    await #expect(throws: LoadError.self) { try await client.load(.void(url)) }
    await exporter.flush()

    let spans = try collector.spans
    #expect(spans.map(\.startTimeUnixNano) == ["9200000000000000000", "9200000000000000000"])
    #expect(spans.map { $0["http.response.status_code"] } == ["-1", "-1"])
  }

  @Test func `texts are escaped as JSON requires`() async throws {
    let (collector, text) = (try Collector(), "a\"b\\c\u{1}\u{1F}\u{7F}ä\n")
    defer { collector.stop() }
    let exporter = collector.exporter { $0.resource[text] = text }

    try await record(2, to: exporter)
    await exporter.flush()

    let body = try #require(collector.server.requests.first?.body)
    let document = try JSONDecoder().decode(JSONValue.self, from: body)
    let resource = document["resourceSpans"]?[0]?["resource"]?["attributes"]?[1]
    #expect(resource?["key"] == .string(text))
    #expect(resource?["value"]?["stringValue"] == .string(text))
  }

  @Test func `the program's own attributes occur once, even if the caller sets them, too`()
    async throws
  {
    let collector = try Collector()
    defer { collector.stop() }
    let exporter = collector.exporter {
      for name in ["service.name", "telemetry.sdk.name", "host.name"] { $0.resource[name] = "x" }
    }

    try await record(2, to: exporter)
    await exporter.flush()

    let body = try #require(collector.server.requests.first?.body)
    let document = try JSONDecoder().decode(JSONValue.self, from: body)
    guard case .array(let attributes) = document["resourceSpans"]?[0]?["resource"]?["attributes"]
    else { return #expect(Bool(false), "there are no attributes") }
    let names = attributes.compactMap { $0["key"]?.string }
    #expect(
      names == ["service.name", "host.name", "telemetry.sdk.language", "telemetry.sdk.name"])
    #expect(attributes.first?["value"]?["stringValue"] != "x")
  }

  @Test(arguments: [(1 << 20, 2), ((1 << 20) + 1, 0)])
  func `a response that can't be read is a success up to a megabyte`(
    size: Int, exported: Int
  ) async throws {
    let collector = try Collector(.response(body: String(repeating: "x", count: size)))
    defer { collector.stop() }
    let exporter = collector.exporter()

    try await record(2, to: exporter)
    await exporter.flush()

    #expect(exporter.counts.exported == exported)
  }

  @Test(arguments: [(0, 1), (1, 1), (8, 8)])
  func `an unreachable collector delays no load, and excess spans are dropped`(
    size: Int, kept: Int
  ) async throws {
    let away = try UnservedPort(.refusing)
    let exporter = OTLPExporter(away.url("/"), service: "test") {
      $0.delay = .seconds(3600)
      $0.maximumQueueSize = size
      $0.timeout = .milliseconds(300)
    }

    try await record(20, to: exporter)
    #expect(exporter.counts.dropped == 20 - kept)
    await exporter.flush()

    #expect(exporter.counts.rejected == kept && exporter.counts.exported == 0)
  }

  @Test func `a slow collector delays no load`() async throws {
    let gate = Gate()
    let collector = try Collector([.wait(gate), .json("{}")])
    defer { collector.stop() }
    let exporter = collector.exporter {
      $0.maximumBatchSize = 2
      $0.maximumQueueSize = 4
    }

    // The first batch waits at the gate; the loads don't.
    try await record(2, to: exporter)
    try await collector.server.waitForRequests(count: 1)
    try await record(10, to: exporter)
    #expect(exporter.counts.dropped == 6)
    gate.open()
    await exporter.flush()

    #expect(exporter.counts.exported == 6)
  }

  @Test func `shutting down sends waiting spans, and later ones are dropped`() async throws {
    let collector = try Collector()
    defer { collector.stop() }
    let exporter = collector.exporter()

    try await record(2, to: exporter)
    await exporter.shutDown()
    try await record(2, to: exporter)
    await exporter.flush()

    #expect(exporter.counts.exported == 2 && exporter.counts.dropped == 2)
    #expect(try collector.spans.count == 2)
  }

  @Test func `shutting down ends in time, whatever the collector does`() async throws {
    let collector = try Collector(.silence)
    defer { collector.stop() }
    let exporter = collector.exporter { $0.timeout = .seconds(600) }

    try await record(2, to: exporter)
    await exporter.shutDown(within: .milliseconds(50))

    #expect(exporter.counts.exported == 0 && exporter.counts.rejected == 2)
  }

  @Test func `spans that still wait when the time for shutting down has passed are counted`()
    async throws
  {
    let collector = try Collector(.silence)
    defer { collector.stop() }
    let exporter = collector.exporter {
      $0.timeout = .seconds(600)
      $0.maximumBatchSize = 2
    }

    try await record(6, to: exporter)
    await exporter.shutDown(within: .milliseconds(50))

    let counts = exporter.counts
    #expect(counts.exported == 0 && counts.rejected == 6)
  }

  @Test func `the exporter's client isn't traced, whatever its configuration`() async throws {
    let (collector, recorded) = (try Collector(), Recorded())
    defer { collector.stop() }
    let exporter = collector.exporter {
      $0.configureClient = { $0.tracer = SpanTracer(recorded) }
    }

    try await record(2, to: exporter)
    await exporter.flush()

    #expect(recorded.beginnings.isEmpty && exporter.counts.exported == 2)
    #expect(collector.server.requests[0].header("traceparent") == nil)
  }
}

/// A clock that a test can set to any time, even backwards.
private final class ShiftedClock: Clock, Sendable {
  private let offset = Mutex(Duration.zero)

  func shift(by duration: Duration) { offset.withLock { $0 += duration } }

  var now: ManualClock.Instant { ManualClock.Instant(offset: offset.withLock { $0 }) }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await Task.sleep(for: .seconds(3600))
  }
}
