import Foundation
import PromiseModule
import ResourceInspector
import ResourceLoading
import ResourceTesting
import ResourceTracing
import Synchronization
import TestSupport

/// A client that reports in every way that the library has.
final class Stage: Sendable {
  let folder: TemporaryFolder
  let plant: Plant
  let secret: Secret
  private let network = StubTransport()
  private let collector = StubTransport()
  private let spans = Spans()
  private let outputs = Mutex<[Output]>([])

  init(_ plant: Plant) throws {
    self.plant = plant
    secret = plant.secret
    folder = try TemporaryFolder()
  }

  /// Everything that came out so far.
  var taken: [Output] { outputs.withLock { $0 } }

  func note(_ more: [Output]) { outputs.withLock { $0 += more } }

  func note(_ name: String, _ text: String) { note([Output(name, text)]) }

  /// The client and the request of the plant, over a server that answers as the ending says.
  func setup(_ ending: Ending) throws -> (client: Client, request: Request) {
    let secret = secret
    network.stub("*") { ending.answer($0, secret.isSent(in: $0) ? secret : Secret("not sent")) }
    var setup = Plant.Setup(
      configuration: Client.Configuration(baseURL: URL(string: "https://api.example.org/")),
      request: .get("/items"))
    let retry = RetryPolicy(maximumAttempts: 2, backoff: .none)
    setup.configuration.middleware = [RetryMiddleware(retry)]
    setup.configuration.transport = network
    let usesOwnNames = plant.usesOwnNames
    setup.configuration.observer = { [weak self] event in
      self?.note(Output.printed("the event \(Self.name(of: event))", event))
      // Nor is the kind of an event.
      guard !usesOwnNames else { return }
      self?.note(Output.printed("the kind of event \(Self.name(of: event))", event.kind))
    }
    try plant.plant(&setup, secret.text)
    return (Client(setup.configuration), setup.request)
  }

  private static func name(of event: LoadEvent) -> String {
    String(describing: event.kind).split(separator: " ").first.map(String.init) ?? ""
  }
}

/// Prints what a tracer is told.
private struct PrintingTracer: LoadTracer {
  let spans: SpanTracer
  let note: @Sendable (ObservedExchange) -> Void

  func begin(
    _ exchange: ObservedExchange, _ headers: inout Headers
  ) -> (any ExchangeFollower)? {
    note(exchange)
    return spans.begin(exchange, &headers)
  }

  func trace(_ request: Request, next: Next) async throws -> Response {
    try await spans.trace(request, next: next)
  }
}

extension Stage {
  struct Item: Decodable, Sendable {
    var number: Int
  }

  /// Loads, and returns everything that came out.
  func play(_ ending: Ending) async throws -> [Output] {
    // A transport isn't told the names that a request adds.
    var rules = RecordingRedaction()
    rules.secretNames = Plant.ownNames
    let recording = RecordingTransport(
      to: folder.file("recording.har"), over: network, redaction: rules)
    let file = try SpanFile(folder.file("spans.jsonl"), service: "test")
    let exporter = exporter()
    var (client, request) = try setup(ending)
    var configuration = client.configuration
    let inspector = Inspector()
    configuration.inspect(with: inspector, as: "client")
    configuration.transport = recording
    configuration.middleware.insert(contentsOf: loggers, at: 0)
    configuration.tracer = PrintingTracer(spans: SpanTracer(exporter, file, spans)) { [weak self] in
      self?.note(Output.printed("an exchange that is observed", $0))
    }
    client = Client(configuration)
    request.options.redirects = .follow(maximum: 3)

    note(Output.printed("the request", request) + [Output("cURL", request.curlCommand)])
    note(Output.printed("the client", client) + Output.printed("configuration", configuration))
    do {
      let resource = Resource<Item>(json: request)
      let loaded = try await client.response(for: resource)
      note(Output.printed("the response", loaded.response))
      note(Output.printed("the loaded response", loaded))
      note(Output.printed("the links", loaded.response.links))
    } catch { note(Output.printed("the error", error)) }
    do {
      note(Output.printed("the dry run", try await client.dryRun(Resource<Item>(json: request))))
    } catch {
      note(Output.printed("the error of the dry run", error))
    }
    for request in network.requests { note(Output.printed("the wire request", request)) }
    note("the inspector's page", try await inspector.html())
    note([Output("the inspector's archive", try inspector.archive())])
    await exporter.shutDown()
    await file.shutDown()
    try await recording.save()
    client.close()
    note(Output.printed("the recording", recording.archive) + (try Output.files(in: folder.url)))
    for request in collector.requests { note([Output("OTLP", try request.body?.data() ?? Data())]) }
    for span in spans.all { note(Output.printed("a span", span)) }
    return taken
  }

  private var loggers: [any Middleware] {
    [.lines, .curl, .bodies].map { (level: LoggingMiddleware.Level) in
      LoggingMiddleware(level) { [weak self] in self?.note("the log", $0) }
    }
  }

  private func exporter() -> OTLPExporter {
    collector.stub("*", .json("{}"))
    let collector = collector
    return OTLPExporter(
      URL(string: "https://collector.example/") ?? URL(filePath: "/"), service: "test"
    ) {
      $0.configureClient = { $0.transport = collector }
    }
  }

  /// Keeps the spans themselves.
  private final class Spans: SpanRecorder {
    private let ended = Mutex<[TraceSpan]>([])
    var all: [TraceSpan] { ended.withLock { $0 } }
    func begin(_ span: TraceSpan) -> TraceContext? { nil }
    func end(_ span: TraceSpan) { ended.withLock { $0.append(span) } }
  }
}
