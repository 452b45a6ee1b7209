internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore
internal import Synchronization

// Sending.
extension OutboxSender {
  func send(_ lease: OutboxLease) async {
    events.send(.sending(lease.entry))
    let outcome = await outcome(of: lease)
    var step = state.withLock { state in
      rule.step(after: outcome, of: lease.entry, at: date, using: &state.generator)
    }
    if case .failure(let error as LoadError) = outcome, error.kind == .closed {
      state.withLock { $0.isClientClosed = true }
    }
    adjustThrottle(after: outcome, step)
    if case .wait(let wait, let error?) = step, !error.isPassingShortage, let url = url(of: lease),
      !(budgets?.spend(for: url) ?? true)
    {
      step = .wait(max(wait, settings.retry.backoff.maximum), error)
    }
    await record(step, of: lease.entry)
  }

  private func outcome(of lease: OutboxLease) async -> Result<Response, any Error> {
    do {
      var request = try lease.request.get().request(in: folder)
      if request.headers[.idempotencyKey] == nil {
        // A string of a structured field (RFC 9651 section 3.3.3), as the draft wants it.
        request.headers[.idempotencyKey] = "\"\(lease.entry.id.uuidString.lowercased())\""
      }
      request.options.isIdempotent = lease.entry.mayRepeat
      if let url = url(of: lease), lease.entry.attempts == 1 { budgets?.earn(for: url) }
      return .success(try await client.load(Resource(request) { $0 }))
    } catch {
      return .failure(error)
    }
  }

  /// The URL of a request, for the budget of its origin.
  private func url(of lease: OutboxLease) -> URL? {
    try? lease.request.get().url(below: client.configuration.baseURL)
  }

  /// Limits attempts after a failure that concerns all entries: one at a time finds out whether the
  /// server is there again.
  private func adjustThrottle(
    after outcome: Result<Response, any Error>, _ step: OutboxRule.Step
  ) {
    let now = clock.now()
    state.withLock { state in
      guard case .failure(let error as LoadError) = outcome, error.isOutage else {
        if case .failure(let error) = outcome, (error as? LoadError)?.response == nil { return }
        return state.throttle.recover()
      }
      var wait = settings.retry.backoff.wait(
        afterFailures: state.throttle.failures + 1, using: &state.generator)
      // A server that says when it is there again means all requests.
      if case .wait(let asked, _) = step, error.response?.headers[.retryAfter] != nil {
        wait = max(wait, asked)
      }
      state.throttle.failed(until: now + wait)
    }
  }

  /// Stores the step after an attempt. As long as the database can't be written, it tries again:
  /// until then the entry counts as under way, and is found as such if this process ends.
  private func record(_ step: OutboxRule.Step, of entry: OutboxEntry) async {
    for failures in 1... {
      do { return try await write { try $0.record(step, of: entry, by: session) } } catch {
        guard report(error) else { return }
        // Not at once: a page may be there again when it is read again.
        if failures > 2, let error = error as? LoadError, error.isDamage {
          return await setAside(entry, error)
        }
      }
      let wait = Backoff(base: .milliseconds(50), maximum: .seconds(1), jitter: .none)
      guard await pause(wait.ceiling(afterFailures: failures)) else { return }
    }
  }

  /// Waits, until the outbox is stopped at the latest.
  ///
  /// - Returns: Whether it wasn't stopped.
  private func pause(_ wait: Duration) async -> Bool {
    let pause = Task { try? await clock.sleep(wait) }
    let number = state.withLock { state -> Int? in
      guard !state.isStopped else { return nil }
      state.taskCount += 1
      state.pauses[state.taskCount] = pause
      return state.taskCount
    }
    guard let number else {
      pause.cancel()
      return false
    }
    await pause.value
    return state.withLock { state in
      state.pauses[number] = nil
      return !state.isStopped
    }
  }

  /// Parks an entry whose step can't be stored because the file is damaged. If that fails as well,
  /// it counts as under way until this process ends.
  private func setAside(_ entry: OutboxEntry, _ error: LoadError) async {
    _ = try? await write { tables in
      if try tables.isLeased(entry, by: session) { _ = try tables.parkDamaged(entry.number) }
    }
    settle(entry.id, .failure(error))
  }
}

// Asking.
extension OutboxSender {
  func ask(_ entry: OutboxEntry) async {
    guard let delivery = settings.checkDelivery else { return }
    do {
      switch try await delivery(entry) {
      case .received(let response): await record(.answered(response), of: entry)
      case .notReceived: await record(.wait(.zero, nil), of: entry)
      case .unknown: await postpone(entry, until: .distantFuture)
      }
    } catch {
      if !(error is CancellationError) { report(error as? LoadError ?? LoadError(hook: error)) }
      let wait = settings.retry.backoff.ceiling(afterFailures: entry.attempts)
      await postpone(entry, until: date.addingTimeInterval(max(1, wait.seconds)))
    }
  }

  private func postpone(_ entry: OutboxEntry, until date: Date) async {
    do {
      try await write { tables in
        guard try tables.isLeased(entry, by: session) else { return }
        try tables.change(entry.number, "due = ?2", StoredValue(date))
      }
    } catch { report(error) }
  }
}
