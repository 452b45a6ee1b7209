import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import ResourceTracing
import Synchronization
import TestSupport
import Testing

struct User: Codable, Sendable, Equatable { let login: String }

extension Resource where R == User {
  static func user(_ login: String) -> Self { .json(.get("/users/\(login)")) }
}

final class DistributedTracing: SpanRecorder, Injector {
  private let spans = Mutex<[SpanID: any Tracing.Span]>([:])

  func begin(_ span: TraceSpan) -> TraceContext? {
    let parent = span.parent.flatMap { parent in spans.withLock { $0[parent.spanID] } }
    let theirs = startSpan(
      span.name, context: parent?.context ?? .current ?? .topLevel,
      ofKind: span.kind == .exchange ? .client : .internal)
    var headers: Headers = [:]
    InstrumentationSystem.instrument.inject(theirs.context, into: &headers, using: self)
    let context = TraceContext(headers: headers)
    spans.withLock { $0[context?.spanID ?? span.context.spanID] = theirs }
    return context
  }

  func end(_ span: TraceSpan) {
    let theirs = spans.withLock { $0.removeValue(forKey: span.context.spanID) }
    for attribute in span.attributes {
      theirs?.attributes[attribute.name] = .string("\(attribute.value)")
    }
    if case .error(_, let message) = span.status {
      theirs?.setStatus(SpanStatus(code: .error, message: message))
    }
    theirs?.end()
  }

  func inject(_ value: String, forKey key: String, into carrier: inout Headers) {
    carrier[Headers.Name(rawValue: key)] = value
  }
}

/// The samples of the documentation, word for word; the last test compares them.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DocumentationTests {
  private let fakeCollector: Collector
  private let server: LoopbackServer

  init() throws {
    fakeCollector = try Collector()
    server = try LoopbackServer {
      LoopbackRoute("GET /users/octocat", .json(#"{"login": "octocat"}"#))
    }
  }

  private func stop() {
    fakeCollector.stop()
    server.stop()
  }

  @Test func `the samples of the landing page and the middleware work`() async throws {
    let (url, fake) = (server.url("/"), fakeCollector.server.url("/"))
    do {
      let collector = URL(string: "http://localhost:4318")!
      let exporter = OTLPExporter(collector, service: "shop")
      let client = Client(baseURL: url) {
        $0.tracer = SpanTracer(exporter)
        $0.middleware = [CoalescingMiddleware(), RetryMiddleware()]
      }
      #expect(client.configuration.middleware.count == 2)
    }
    do {
      let collector = URL(string: "http://localhost:4318")!
      let exporter = OTLPExporter(collector, service: "shop") {
        $0.headers["X-Team"] = "checkout"
        $0.resource["deployment.environment.name"] = "production"
      }
      #expect(exporter.counts == ExportCounts())
    }
    do {
      let collector = fake
      let exporter = OTLPExporter(collector, service: "shop")
      let client = Client(baseURL: url) {
        $0.tracer = SpanTracer(exporter)
        $0.middleware = [RetryMiddleware()]
      }
      #expect(try await client.load(.user("octocat")).login == "octocat")
    }
    let collector = fake
    let exporter = OTLPExporter(collector, service: "shop") {
      $0.headers["X-Team"] = "checkout"
      $0.resource["deployment.environment.name"] = "production"
    }
    let client = Client(baseURL: url) {
      $0.tracer = SpanTracer(exporter, sampling: .parent(or: .ratio(0.1)))
      $0.middleware = [CoalescingMiddleware(), RetryMiddleware()]
    }

    #expect(try await client.load(.user("octocat")).login == "octocat")
    stop()
  }

  @Test func `the samples of the caller's context and its baggage work`() async throws {
    let recorded = Recorded()
    let client = Client(baseURL: server.url("/")) { $0.tracer = SpanTracer(recorded) }
    func answer(_ incoming: Headers) async throws -> User {
      try await TraceContext.$current.withValue(TraceContext(headers: incoming)) {
        try await client.load(.user("octocat"))
      }
    }
    let caller = TraceContext.root()
    let incoming: Headers = [.traceparent: caller.traceparent]

    _ = try await answer(incoming)
    do {
      let context = TraceContext(headers: incoming)
      let user = try await TraceContext.$current.withValue(context) {
        try await client.load(.user("octocat"))
      }
      #expect(user.login == "octocat")
    }
    do {
      let baggage: Baggage = ["tenant": "blue"]
      let user = try await Baggage.$current.withValue(baggage) {
        try await client.load(.user("octocat"))
      }
      #expect(user.login == "octocat")
    }

    #expect(recorded.loads.map { $0.parent?.spanID } == [caller.spanID, caller.spanID, nil])
    stop()
  }

  @Test func `the samples of propagation and the span file work`() async throws {
    let (exporter, images) = (Recorded(), server.url("/"))
    let tracing = SpanTracer(
      exporter, propagation: .baseURL.and(images), sendsBaggage: true)
    let client = Client { $0.tracer = tracing }
    let folder = FileManager.default.temporaryDirectory.appending(path: "spans-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try SpanFile(folder.appending(path: "spans.jsonl"), service: "shop")

    _ = try await client.load(Resource<User>(json: .get(server.url("/users/octocat"))))
    #expect(server.requests[0].header("traceparent") != nil && file.counts == ExportCounts())
    stop()
  }

  @Test func `the sample's adapter records spans under those of another library`() async throws {
    let tracing = SpanTracer(DistributedTracing(), sampling: .always)
    let client = Client(baseURL: server.url("/")) { $0.tracer = tracing }
    let outer = startSpan("outer")

    _ = try await ServiceContext.$current.withValue(outer.context) {
      try await client.load(.user("octocat"))
    }
    await #expect(throws: LoadError.self) { try await client.load(.user("nobody")) }

    let spans = InstrumentationSystem.instrument.spans.withLock { $0 }
    try #require(spans.count == 5)
    #expect(spans[1].parent.traceparent == outer.context.traceparent)
    #expect(spans[2].parent.traceparent == spans[1].context.traceparent)
    #expect(spans.map(\.kind) == [.internal, .internal, .client, .internal, .client])
    #expect(spans.dropFirst().allSatisfy { $0.hasEnded })
    #expect(spans[2].attributes["http.response.status_code"] == .string("200"))
    #expect(spans[3].parent.traceparent == nil && spans[3].status?.code == .error)
    #expect(server.requests[0].header("traceparent") == spans[2].context.traceparent)
    stop()
  }

  @Test func `every sample of the documentation is compiled`() throws {
    let compiled = DocumentationSamples.trimmed(
      try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))

    let samples = try DocumentationSamples.all(in: "Sources/ResourceTracing")
    #expect(samples.count >= 9)
    for sample in samples {
      #expect(compiled.contains(sample), "not compiled:\n\(sample)")
    }
  }
}
