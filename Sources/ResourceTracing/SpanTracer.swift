public import ResourceLoading
import Synchronization

/// Records each load and each of its requests as spans of a trace, and sends the position in the
/// trace to the servers (W3C Trace Context).
///
/// ```swift
/// let collector = URL(string: "http://localhost:4318")!
/// let exporter = OTLPExporter(collector, service: "shop")
/// let client = Client(baseURL: url) {
///   $0.tracer = SpanTracer(exporter)
///   $0.middleware = [CoalescingMiddleware(), RetryMiddleware()]
/// }
/// ```
///
/// The span of a load covers everything: answers of a cache, waits, further attempts. A load has
/// one span, and below it each request on the wire has one: the attempts, the redirects, and the
/// renewals of a credential. A load that shares the response of another one has no request of its
/// own, and a link to the other's span. The parent of a load's span is ``TraceContext/current`` of
/// the task that loads, and within the load that is the load's span.
public struct SpanTracer: LoadTracer {
  private let recorders: [any SpanRecorder]
  private let sampling: TraceSampling
  private let propagation: TracePropagation
  private let sendsBaggage: Bool
  private let identifiers: Identifiers
  private let clock = SpanClock()

  /// Creates a tracer.
  ///
  /// - Parameters:
  ///   - recorders: The recorders of the spans. If several of them return identifiers, the last
  ///     ones are used. Without recorders, headers are sent but nothing is recorded.
  ///   - sampling: Which loads are recorded.
  ///   - propagation: The servers to which the headers of the trace are sent.
  ///   - sendsBaggage: Whether these servers get ``Baggage/current``, too.
  ///   - generator: The source of identifiers.
  public init(
    _ recorders: any SpanRecorder..., sampling: TraceSampling = .parent(),
    propagation: TracePropagation = .baseURL, sendsBaggage: Bool = false,
    using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.recorders = recorders
    self.sampling = sampling
    self.propagation = propagation
    self.sendsBaggage = sendsBaggage
    identifiers = Identifiers(generator)
  }

  /// Passes on the request as part of a trace.
  ///
  /// - Throws: What the next middleware throws.
  public func trace(_ request: Request, next: Next) async throws -> Response {
    let parent = TraceContext.current
    let context = context(below: parent)
    guard context.isSampled, !recorders.isEmpty else {
      next.join(LoadEvent.Trace(context))
      return try await TraceContext.$current.withValue(context) { try await next(request) }
    }
    let dates = clock.dates(of: next.clock)
    let span = TraceSpan(
      .load, HTTPFacts(request), context: context, parent: parent, start: dates.start)
    let live = LiveSpan(span, to: recorders, dates)
    next.join(LoadEvent.Trace(live.context))
    return try await TraceContext.$current.withValue(live.context) {
      try await recorded(live, request, next)
    }
  }

  /// Passes on the request, and ends its span when the load ends.
  private func recorded(
    _ live: LiveSpan, _ request: Request, _ next: Next
  ) async throws -> Response {
    next.atEnd { error in
      live.end { if let error { $0.facts.failure = .init(load: error) } }
    }
    do {
      let response = try await next(request)
      live.note { span in
        (span.facts.status, span.facts.source) = (response.status, response.source)
        if let shared = next.sharedTrace { span.links = [TraceContext(shared)] }
      }
      return response
    } catch {
      live.note { span in
        span.facts.failure = .init(exchange: error)
        if let shared = next.sharedTrace { span.links = [TraceContext(shared)] }
      }
      throw error
    }
  }
}

extension SpanTracer {
  /// Begins the span of an exchange, and adds the position in the trace to its headers where that
  /// is allowed.
  public func begin(
    _ exchange: ObservedExchange, _ headers: inout Headers
  ) -> (any ExchangeFollower)? {
    let parent = TraceContext.current
    var context = context(below: parent)
    var live: LiveSpan?
    if context.isSampled, !recorders.isEmpty {
      let dates = clock.dates(of: exchange.clock)
      let span = TraceSpan(
        .exchange, HTTPFacts(exchange), context: context, parent: parent, start: dates.start)
      let begun = LiveSpan(span, to: recorders, dates)
      (live, context) = (begun, begun.context)
    }
    if propagation.allows(exchange.url, baseURL: exchange.baseURL) {
      context.write(to: &headers)
      if sendsBaggage, let baggage = Baggage.current.headerValue { headers[.baggage] = baggage }
    }
    return live
  }
}

extension SpanTracer {
  private func context(below parent: TraceContext?) -> TraceContext {
    var generator = identifiers
    var context: TraceContext
    if let parent {
      context = parent
      context.spanID = SpanID(using: &generator)
      context.flags.formIntersection(.random)
    } else {
      context = .root(isSampled: false, using: &generator)
    }
    if sampling.isSampled(context.traceID, below: parent) { context.flags.insert(.sampled) }
    return context
  }
}

/// The source of identifiers.
private struct Identifiers: RandomNumberGenerator, Sendable {
  /// `nil` for the system's generator, which needs no lock.
  private let generator: Generator?

  private final class Generator: Sendable {
    let state: Mutex<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) { state = Mutex(generator) }
  }

  init(_ generator: some RandomNumberGenerator & Sendable) {
    self.generator = generator is SystemRandomNumberGenerator ? nil : Generator(generator)
  }

  func next() -> UInt64 {
    if let generator { return generator.state.withLock { $0.next() } }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}

extension LoadEvent.Trace {
  fileprivate init(_ context: TraceContext) {
    self.init(
      high: context.traceID.high, low: context.traceID.low, span: context.spanID.rawValue)
  }
}
