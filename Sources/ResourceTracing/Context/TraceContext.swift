public import ResourceLoading

/// A position in a trace: the trace, the span in it, and whether it is recorded (W3C Trace
/// Context).
///
/// Within a program it is a task-local value, and between programs it is sent in two headers. A
/// server uses its caller's context, so that its loads are part of the same trace:
///
/// ```swift
/// let context = TraceContext(headers: incoming)
/// let user = try await TraceContext.$current.withValue(context) {
///   try await client.load(.user("octocat"))
/// }
/// ```
public struct TraceContext: Sendable, Hashable {
  /// The trace.
  public var traceID: TraceID

  /// The span that is the parent of new spans.
  public var spanID: SpanID

  /// Whether the trace is recorded, and whether its identifier is random.
  public var flags: Flags

  /// The data that tracing systems store with the trace. It is passed on unchanged.
  public var state: TraceState

  /// The context of the current task; `nil` outside of a trace. Within a traced load it is the
  /// context of the load's span.
  @TaskLocal public static var current: TraceContext?

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - traceID: The trace.
  ///   - spanID: The span that is the parent of new spans.
  ///   - flags: Whether the trace is recorded, and whether its identifier is random.
  ///   - state: The data that tracing systems store with it.
  public init(
    traceID: TraceID, spanID: SpanID, flags: Flags = [], state: TraceState = TraceState()
  ) {
    self.traceID = traceID
    self.spanID = spanID
    self.flags = flags
    self.state = state
  }

  /// The flags of a context (W3C Trace Context section 3.2.2.5).
  public struct Flags: OptionSet, Sendable, Hashable {
    /// The byte as it is sent.
    public let rawValue: UInt8

    /// Creates flags. Those without a meaning are kept, and not sent.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The caller records the trace.
    public static let sampled = Flags(rawValue: 1)

    /// The last seven bytes of the trace's identifier are random (level 2 of the recommendation).
    public static let random = Flags(rawValue: 2)
  }

  /// Whether the trace is recorded.
  public var isSampled: Bool { flags.contains(.sampled) }
}

extension TraceContext {
  /// Creates the context of a new trace.
  package static func root(
    isSampled: Bool = true,
    using generator: inout some RandomNumberGenerator
  ) -> TraceContext {
    TraceContext(
      traceID: TraceID(using: &generator), spanID: SpanID(using: &generator),
      flags: isSampled ? [.random, .sampled] : .random)
  }

  /// Creates the context of a new trace with identifiers from the system.
  ///
  /// - Parameter isSampled: Whether it is recorded.
  public static func root(isSampled: Bool = true) -> TraceContext {
    var generator = SystemRandomNumberGenerator()
    return root(isSampled: isSampled, using: &generator)
  }
}

extension TraceContext {
  /// Creates the context of a load's span from one of its events.
  ///
  /// - Parameter trace: The identifiers of an event.
  public init(_ trace: LoadEvent.Trace) {
    self.init(traceID: TraceID(trace), spanID: SpanID(trace))
  }
}
