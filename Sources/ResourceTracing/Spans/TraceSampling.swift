/// The traces that are recorded.
///
/// The decision is made once for each load, and passed on to the servers.
public struct TraceSampling: Sendable, Hashable {
  private let rule: Rule
  /// Whether the caller's decision counts, if there is a caller.
  private let followsParent: Bool

  private enum Rule: Sendable, Hashable {
    case all
    case none
    /// The traces whose identifiers end in seven bytes of at least this value.
    case from(UInt64)
  }

  /// Records every load.
  public static let always = TraceSampling(rule: .all, followsParent: false)

  /// Records no load. The headers are sent all the same, so that a trace isn't interrupted.
  public static let never = TraceSampling(rule: .none, followsParent: false)

  /// Records a share of the traces, by their identifiers: all programs with the same share record
  /// the same traces.
  ///
  /// - Parameter share: From 0 to 1.
  public static func ratio(_ share: Double) -> TraceSampling {
    precondition((0...1).contains(share), "a share of traces is from 0 to 1")
    let all = Double(UInt64(1) << 56)
    return TraceSampling(rule: .from(UInt64(all - share * all)), followsParent: false)
  }

  /// Records the traces that the caller records.
  ///
  /// - Parameter root: The sampling of traces that begin here.
  public static func parent(or root: TraceSampling = .always) -> TraceSampling {
    TraceSampling(rule: root.rule, followsParent: true)
  }
}

extension TraceSampling {
  /// Returns whether a span is recorded.
  ///
  /// - Parameters:
  ///   - traceID: The trace.
  ///   - parent: The context in which it begins; `nil` for the first span of a trace.
  func isSampled(_ traceID: TraceID, below parent: TraceContext?) -> Bool {
    if followsParent, let parent { return parent.isSampled }
    return switch rule {
    case .all: true
    case .none: false
    case .from(let threshold): traceID.low & (1 << 56 - 1) >= threshold
    }
  }
}
