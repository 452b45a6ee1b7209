/// A rule for which traces are recorded.
///
/// It is applied once to each load, and the decision is sent to the servers.
public struct TraceSampling: Sendable, Hashable {
  private let rule: Rule
  /// Whether the caller's decision is used if there is a caller.
  private let followsParent: Bool

  private enum Rule: Sendable, Hashable {
    case all
    case none
    /// The traces for which the last seven bytes of the identifier are at least this value.
    case from(UInt64)
  }

  /// Records every load.
  public static let always = TraceSampling(rule: .all, followsParent: false)

  /// Records no load. The headers are still sent, so that a trace isn't interrupted.
  public static let never = TraceSampling(rule: .none, followsParent: false)

  /// Records a share of the traces, chosen by their identifiers. All programs with the same share
  /// record the same traces.
  ///
  /// - Parameter share: The share, from 0 to 1.
  public static func ratio(_ share: Double) -> TraceSampling {
    precondition((0...1).contains(share), "a share of traces must be from 0 to 1")
    guard share > 0 else { return never }
    let all = Double(UInt64(1) << 56)
    return TraceSampling(rule: .from(UInt64(all - share * all)), followsParent: false)
  }

  /// Records the traces that the caller records.
  ///
  /// - Parameter root: The sampling of traces that begin in this program.
  public static func parent(or root: TraceSampling = .always) -> TraceSampling {
    TraceSampling(rule: root.rule, followsParent: true)
  }
}

extension TraceSampling {
  /// Returns whether a span that begins in `parent`, or is the first of its trace, is recorded.
  func isSampled(_ traceID: TraceID, below parent: TraceContext?) -> Bool {
    if followsParent, let parent { return parent.isSampled }
    return switch rule {
    case .all: true
    case .none: false
    case .from(let threshold): traceID.low & (1 << 56 - 1) >= threshold
    }
  }
}
