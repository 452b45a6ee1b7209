internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore
internal import Synchronization

/// Decides how many entries are sent at once, and what follows an attempt.
final class OutboxPacing: Sendable {
  private let settings: OutboxSettings
  private let clock: LoadClock
  private let rule: OutboxRule
  private let budgets: RetryBudgets?
  private let state: Mutex<State>

  private struct State {
    var throttle: OutboxThrottle
    var runningCount = 0
    var hasNetwork = true
    var isClientClosed = false
    var generator: any RandomNumberGenerator & Sendable
  }

  init(_ settings: OutboxSettings, _ clock: LoadClock) {
    (self.settings, self.clock) = (settings, clock)
    rule = OutboxRule(
      retry: RetryRule(
        policy: settings.retry, statuses: RetryMiddleware.transientStatuses,
        maximumRetryAfter: settings.maximumRetryAfter))
    budgets = settings.budget.map(RetryBudgets.init)
    state = Mutex(
      State(
        throttle: OutboxThrottle(limit: settings.maximumConcurrency),
        generator: settings.generator))
  }
}

extension OutboxPacing {
  /// Returns how many more entries may begin now, and if none may, when one may.
  func capacity(at now: Duration) -> (count: Int, resumption: Duration?) {
    state.withLock { state in
      guard state.hasNetwork, !state.isClientClosed else { return (0, nil) }
      let count = state.throttle.capacity(running: state.runningCount, at: now)
      return (count, state.throttle.resumption.flatMap { $0 > now ? $0 : nil })
    }
  }

  /// Counts an entry that has begun until ``end()``.
  func begin() { state.withLock { $0.runningCount += 1 } }

  func end() { state.withLock { $0.runningCount -= 1 } }

  /// Adds to the budget for repeated attempts at a URL's origin after a first one.
  func earn(for url: URL) { budgets?.earn(for: url) }

  /// Records whether there is a network, and returns whether it is back.
  func setNetwork(_ hasNetwork: Bool) -> Bool {
    state.withLock { state in
      defer { state.hasNetwork = hasNetwork }
      if hasNetwork { state.throttle.recover() }
      return hasNetwork && !state.hasNetwork
    }
  }

  /// Returns the step after an attempt.
  ///
  /// - Parameters:
  ///   - isSafe: Whether it can go on where it ended, so that nothing is sent twice.
  ///   - hasBegun: Whether the server has an upload that can be resumed.
  func step(
    after outcome: Result<Response, any Error>, of entry: OutboxEntry, isSafe: Bool = false,
    hasBegun: Bool = false, at url: URL?
  ) -> OutboxRule.Step {
    let step = state.withLock { state in
      let step = rule.step(
        after: outcome, of: entry, isSafe: isSafe, hasBegun: hasBegun, at: clock.date(),
        using: &state.generator)
      if case .failure(let error as LoadError) = outcome, error.kind == .closed {
        state.isClientClosed = true
      }
      adjustThrottle(&state, after: outcome, step)
      return step
    }
    if case .wait(let wait, let error?) = step, !error.isPassingShortage, let url,
      !(budgets?.spend(for: url) ?? true)
    {
      return .wait(max(wait, settings.retry.backoff.maximum), error)
    }
    return step
  }

  /// Limits attempts after a failure that affects all entries: one entry at a time checks whether
  /// the server is back.
  private func adjustThrottle(
    _ state: inout State, after outcome: Result<Response, any Error>, _ step: OutboxRule.Step
  ) {
    guard case .failure(let error as LoadError) = outcome, error.isOutage else {
      if case .failure(let error) = outcome, (error as? LoadError)?.response == nil { return }
      return state.throttle.recover()
    }
    var wait = settings.retry.backoff.wait(
      afterFailures: state.throttle.failures + 1, using: &state.generator)
    // A server's `Retry-After` applies to all requests.
    if case .wait(let asked, _) = step, error.response?.headers[.retryAfter] != nil {
      wait = max(wait, asked)
    }
    state.throttle.failed(until: clock.now() + wait)
  }
}
