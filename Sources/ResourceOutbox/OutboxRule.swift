internal import Foundation
internal import ResourceLoading
import ResourceStore

/// The rule for the step after an attempt: a pure function of the entry, the outcome of the
/// attempt, and the time.
///
/// | from | to | when |
/// |---|---|---|
/// | waiting | sending | it is the first of its key, nothing else blocks it, and its time has come |
/// | sending | removed | the server accepted it |
/// | sending | waiting | it failed in a way that may pass, and may be sent again |
/// | sending | parked | it failed in a way that won't pass |
/// | sending | uncertain | it may have reached the server, and must not be sent twice |
/// | waiting, parked, uncertain | removed | it is too old, or was dropped |
struct OutboxRule: Sendable {
  var retry: RetryRule

  /// What a server answers for as long as it believes that an earlier request still writes to an
  /// upload: another offset, a lock, or bytes that it has damaged.
  private static let uploadInterruptions: Set<Status> = [.conflict, .locked, 460]

  enum Step {
    case answered(Response)
    /// It may be sent again after a time; without an error, at once and by any process.
    case wait(Duration, LoadError?)
    case park(LoadError)
    case uncertain(LoadError)
  }

  /// - Parameters:
  ///   - isSafe: Whether it can go on where it ended, so that nothing is sent twice.
  ///   - hasBegun: Whether the server has an upload that can be resumed.
  func step(
    after outcome: Result<Response, any Error>, of entry: OutboxEntry, isSafe: Bool = false,
    hasBegun: Bool = false, at date: Date,
    using generator: inout some RandomNumberGenerator
  ) -> Step {
    let error: LoadError
    switch outcome {
    case .success(let response): return .answered(response)
    case .failure(let failure): error = LoadError(ofAttempt: failure)
    }
    let mayRepeat = entry.mayRepeat || isSafe && error.reason != LoadError.forgottenUpload.reason
    if error.kind == .closed {
      // Another outbox continues.
      return mayRepeat
        ? .wait(.zero, nil)
        : .uncertain(LoadError(.outbox, "the client was closed while the write was under way"))
    }
    var retry = retry
    if hasBegun { retry.statuses.formUnion(Self.uploadInterruptions) }
    guard mayRepeat || error.wasNotProcessed || !retry.mayPass(error) else {
      return .uncertain(error)
    }
    // At most 3,000 years: a damaged row may say anything.
    let age = Duration.seconds(min(max(0, date.timeIntervalSince(entry.added)), 1e11))
    let timing = RetryRule.Timing(failures: entry.attempts, elapsed: age, date: date)
    switch retry.decide(after: error, at: timing, using: &generator) {
    case .retry(let wait, _): return .wait(wait, error)
    case .giveUp(let remark):
      var explained = error
      explained.reason += ", \(remark)"
      return .park(explained)
    case .stop: return .park(error)
    }
  }
}

extension LoadError {
  fileprivate init(ofAttempt error: any Error) {
    switch error {
    case let error as LoadError: self = error
    case is CancellationError:
      self.init(.connection, "a middleware has cancelled the load")
    default: self.init(.outbox, "the write failed: \(error)", underlying: error)
    }
  }

  /// Whether the server certainly did nothing, because it wasn't reached or refused the request.
  var wasNotProcessed: Bool {
    // The answer of an entry stays in memory, so files are only those of its body, which are copied
    // before it is sent.
    if isUnsent || kind == .file && attempts.count <= 1 { return true }
    return kind == .status && response.map { [408, 425, 429, 503].contains($0.status) } ?? false
  }

  /// Whether the next request would probably fail as well, because of the server, the network or
  /// this machine.
  var isOutage: Bool {
    [.connection, .timedOut].contains(kind) || isPassingShortage
      || kind == .status && response.map { [429, 503].contains($0.status) } ?? false
  }
}

/// Limits how many entries are sent at once: one at a time while the server can't be reached, so
/// that an outage costs few requests however many entries wait.
struct OutboxThrottle: Sendable {
  let limit: Int
  /// The number of attempts that have failed since the last answer.
  private(set) var failures = 0
  /// The time of the clock at which the next attempt may begin; `nil` for any time.
  private(set) var resumption: Duration?

  init(limit: Int) { self.limit = limit }

  /// Returns how many more attempts may begin.
  func capacity(running: Int, at now: Duration) -> Int {
    guard failures > 0 else { return max(0, limit - running) }
    if let resumption, now < resumption { return 0 }
    return running == 0 ? min(1, limit) : 0
  }

  mutating func failed(until moment: Duration) {
    failures += 1
    resumption = moment
  }

  /// Forgets the failures: the server has answered, or there is a network again.
  mutating func recover() {
    failures = 0
    resumption = nil
  }
}
