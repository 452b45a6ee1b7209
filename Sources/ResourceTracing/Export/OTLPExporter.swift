public import Foundation
import PromiseModule
import ResourceJSON
public import ResourceLoading

/// Sends spans to a collector with OpenTelemetry's protocol, OTLP over HTTP in JSON.
///
/// ```swift
/// let collector = URL(string: "http://localhost:4318")!
/// let exporter = OTLPExporter(collector, service: "shop") {
///   $0.headers["X-Team"] = "checkout"
///   $0.resource["deployment.environment.name"] = "production"
/// }
/// ```
///
/// No load waits for it. Spans wait in a queue of limited length, and are sent in batches by a
/// separate client that isn't traced. Spans that arrive while the queue is full are dropped and
/// counted. If the collector is busy (429, 502, 503, 504) or can't be reached, the batch is sent
/// again until its time limit, after the time in `Retry-After` if there is one.
///
/// Call ``shutDown(within:)`` before the program ends. Otherwise waiting spans are lost.
public final class OTLPExporter: SpanRecorder {
  private let client: Client
  private let batcher: SpanBatcher

  /// The settings of an exporter.
  public struct Configuration: Sendable {
    /// Headers for the collector, such as an API key.
    public var headers: Headers = [:]

    /// The attributes of the program with OpenTelemetry's names, in addition to `service.name`.
    public var resource: [String: String] = [:]

    /// The most waiting spans. Further ones are dropped.
    public var maximumQueueSize = 2048

    /// The most spans of a batch.
    public var maximumBatchSize = 512

    /// The longest time that a span waits for others.
    public var delay: Duration = .seconds(5)

    /// The time limit of a batch, including further attempts.
    public var timeout: Duration = .seconds(10)

    /// Called with the reason why spans weren't exported, for a log: once for each batch that is
    /// given up, and for each response in which the collector rejects some. It must return soon.
    public var onFailure: @Sendable (LoadError) -> Void = { _ in }

    /// Changes the client that sends the spans, for example its transport, trust or clock. Tracing
    /// middleware is removed.
    public var configureClient: @Sendable (inout Client.Configuration) -> Void = { _ in }

    init() {}
  }

  /// Creates an exporter.
  ///
  /// - Parameters:
  ///   - collector: The URL of the collector, such as `http://localhost:4318`. `/v1/traces` is
  ///     appended unless it is already there.
  ///   - service: The name of the program.
  ///   - configure: Changes the other settings.
  public init(
    _ collector: URL, service: String, _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration()
    configure(&configuration)
    let client = Client.exporting(to: collector, configuration)
    let document = OTLPDocument(service: service, resource: configuration.resource)
    self.client = client
    batcher = SpanBatcher(
      ExportQueue.Limits(
        capacity: max(1, configuration.maximumQueueSize),
        batch: max(1, configuration.maximumBatchSize)),
      delay: configuration.delay, clock: client.configuration.clock
    ) { [onFailure = configuration.onFailure] spans in
      do {
        let answer = try await client.load(.traces(document.data(of: spans)))
        if answer.rejected > 0 { onFailure(LoadError(rejecting: answer)) }
        return answer.rejected
      } catch {
        if let error = error as? LoadError { onFailure(error) }
        return spans.count
      }
    }
  }
}

extension OTLPExporter {
  /// Adds a span to the queue.
  public func end(_ span: TraceSpan) { batcher.add(span) }

  /// The numbers of spans so far, by outcome.
  public var counts: ExportCounts { batcher.counts }

  /// Sends the waiting spans. Returns when they have been sent or given up, or the calling task is
  /// cancelled.
  public func flush() async { await batcher.flush() }

  /// Sends the waiting spans, and drops later ones.
  ///
  /// - Parameter limit: The longest time to wait. Spans that aren't sent by then are given up, and
  ///   ``counts`` includes them in the rejected ones.
  public func shutDown(within limit: Duration = .seconds(10)) async {
    await batcher.shutDown(within: limit)
    // Everything that is still being sent or waiting now fails at once and is counted.
    client.close()
    await batcher.flush()
  }
}

extension Client {
  /// Returns a client that sends batches.
  fileprivate static func exporting(
    to collector: URL, _ configuration: OTLPExporter.Configuration
  ) -> Client {
    let retrying = RetryMiddleware(
      RetryPolicy(maximumAttempts: 10), statuses: [429, 502, 503, 504],
      maximumRetryAfter: configuration.timeout, budget: nil)
    return Client(baseURL: collector.withoutTraces) {
      $0.headers = configuration.headers
      $0.options.timeout = configuration.timeout
      $0.options.isIdempotent = true
      $0.options.maximumBodySize = 1 << 20
      $0.middleware = [retrying]
      configuration.configureClient(&$0)
      $0.tracer = nil
    }
  }
}

extension URL {
  /// A collector's URL without `/v1/traces`, which many include.
  fileprivate var withoutTraces: URL {
    guard path().hasSuffix("/v1/traces") || path().hasSuffix("/v1/traces/") else { return self }
    return deletingLastPathComponent().deletingLastPathComponent()
  }
}

/// A collector's response to a batch.
private struct ExportAnswer: Sendable {
  /// The number of spans that it didn't accept.
  var rejected: Int
  /// The reason; `nil` if it gives none.
  var message: String?
}

extension LoadError.Kind {
  /// A collector accepted a batch of spans but rejected some of them.
  public static let tracing = LoadError.Kind(rawValue: "tracing")
}

extension LoadError {
  fileprivate init(rejecting answer: ExportAnswer) {
    self.init(.tracing, "the collector rejected \(answer.rejected) spans")
    serverMessage = answer.message
  }
}

extension Resource where R == ExportAnswer {
  /// Sends a document with spans.
  fileprivate static func traces(_ document: Data) -> Self {
    let request = Request.post("/v1/traces").body(.data(document, as: .json)).accept(.json)
    return Resource(request) { response in
      // A response that can't be read is still a success, because of its status.
      let answer = try? JSONValue(parsing: response.body)
      let partial = answer?["partialSuccess"]
      let message = partial?["errorMessage"]?.string
      // A 64-bit number is a string in the JSON of protocol buffers.
      switch partial?["rejectedSpans"] {
      case .string(let text):
        return ExportAnswer(rejected: max(0, Int(text) ?? 0), message: message)
      case .number(let number):
        return ExportAnswer(rejected: max(0, number.integer() ?? 0), message: message)
      default: return ExportAnswer(rejected: 0)
      }
    }
  }
}
