import Synchronization

// The part of swift-distributed-tracing that the article's adapter uses, so that the adapter is
// compiled and run.

enum Tracing {
  protocol Span: Sendable {
    var context: ServiceContext { get }
    var attributes: SpanAttributes { get nonmutating set }
    func setStatus(_ status: SpanStatus)
    func end()
  }
}

struct ServiceContext: Sendable {
  var traceparent: String?
  @TaskLocal static var current: ServiceContext?
  static var topLevel: ServiceContext { ServiceContext() }
}

enum SpanKind: Sendable { case server, client, producer, consumer, `internal` }

struct SpanStatus: Sendable {
  enum Code: Sendable { case ok, error }
  var code: Code
  var message: String?
  init(code: Code, message: String? = nil) { (self.code, self.message) = (code, message) }
}

enum SpanAttribute: Sendable, Equatable { case string(String) }

struct SpanAttributes: Sendable {
  var values: [String: SpanAttribute] = [:]
  subscript(name: String) -> SpanAttribute? {
    get { values[name] }
    set { values[name] = newValue }
  }
}

protocol Injector: Sendable {
  associatedtype Carrier
  func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

final class StandInTracer: Sendable {
  let spans = Mutex<[StandInSpan]>([])

  func inject<I: Injector>(
    _ context: ServiceContext, into carrier: inout I.Carrier, using injector: I
  ) {
    if let value = context.traceparent {
      injector.inject(value, forKey: "traceparent", into: &carrier)
    }
  }
}

enum InstrumentationSystem {
  static let instrument = StandInTracer()
}

func startSpan(
  _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
  ofKind kind: SpanKind = .internal
) -> any Tracing.Span {
  InstrumentationSystem.instrument.spans.withLock { spans in
    let span = StandInSpan(operationName, context(), kind, number: spans.count + 1)
    spans.append(span)
    return span
  }
}

final class StandInSpan: Tracing.Span {
  let name: String
  let parent: ServiceContext
  let context: ServiceContext
  let kind: SpanKind
  private let state = Mutex(State())

  private struct State {
    var attributes = SpanAttributes()
    var status: SpanStatus?
    var hasEnded = false
  }

  init(_ name: String, _ parent: ServiceContext, _ kind: SpanKind, number: Int) {
    let digits = String(number, radix: 16)
    let id = String(repeating: "0", count: 16 - digits.count) + digits
    let trace =
      parent.traceparent.map { String($0.dropFirst(3).prefix(32)) }
      ?? String(repeating: "a", count: 32)
    (self.name, self.parent, self.kind) = (name, parent, kind)
    context = ServiceContext(traceparent: "00-\(trace)-\(id)-01")
  }

  var attributes: SpanAttributes {
    get { state.withLock(\.attributes) }
    set { state.withLock { $0.attributes = newValue } }
  }
  var status: SpanStatus? { state.withLock(\.status) }
  var hasEnded: Bool { state.withLock(\.hasEnded) }
  func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
  func end() { state.withLock { $0.hasEnded = true } }
}
