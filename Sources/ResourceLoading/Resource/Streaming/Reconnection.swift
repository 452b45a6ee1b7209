import PromiseModule

/// When a stream of events that has ended or failed is opened again: how long the pause before it
/// is, and after how many failures no other one follows.
struct Reconnection: Sendable {
  private let maximumFailures: Int
  /// The failures since the last event.
  private var failures = 0
  /// The streams that were opened since the last event.
  private var vainStreams = 0
  private var isFirst = true

  /// The longest pause that a server may ask for: a day.
  private static let longestPause = Duration.seconds(86_400)

  init(maximumFailures: Int) { self.maximumFailures = maximumFailures }

  /// Counts a stream that is about to be opened.
  ///
  /// - Parameter wanted: The pause that the server has asked for, if it has.
  /// - Returns: The pause before it; `nil` for the first stream. After failures it is longer than
  ///   the server wants, and never zero after a stream without an event.
  mutating func open(after wanted: Duration?) -> Duration? {
    defer { (isFirst, vainStreams) = (false, vainStreams + 1) }
    guard !isFirst else { return nil }
    let base = min(wanted ?? .seconds(3), Self.longestPause)
    let backoff = Backoff(base: base, factor: 2, maximum: max(base, .seconds(60)), jitter: .none)
    let least = Backoff(base: .milliseconds(100), factor: 2, maximum: .seconds(1), jitter: .none)
    return max(
      backoff.ceiling(afterFailures: max(1, failures)),
      vainStreams > 0 ? least.ceiling(afterFailures: vainStreams) : .zero)
  }

  /// Counts an event.
  mutating func received() { (failures, vainStreams) = (0, 0) }

  /// Counts a failure, and returns whether another stream may follow it.
  mutating func permits(after error: any Error) -> Bool {
    guard let error = error as? LoadError, [.connection, .timedOut].contains(error.kind),
      failures < maximumFailures
    else { return false }
    failures += 1
    return true
  }
}
