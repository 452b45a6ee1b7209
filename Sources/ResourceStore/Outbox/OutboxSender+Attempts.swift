internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import Synchronization

// Sending.
extension OutboxSender {
  func send(_ lease: OutboxLease) async {
    observers.send(.sending(lease.entry))
    let outcome = await outcome(of: lease)
    let date = date
    let facts = OutboxRule.Facts(
      attempts: lease.entry.attempts, mayRepeat: lease.mayRepeat,
      // At most 3,000 years: a damaged row may say anything.
      age: .seconds(min(max(0, date.timeIntervalSince(lease.entry.added)), 1e11)))
    var step = state.withLock { state in
      rule.step(after: outcome, of: facts, at: date, using: &state.generator)
    }
    if case .failure(let error as LoadError) = outcome, error.kind == .closed {
      state.withLock { $0.isClientClosed = true }
    }
    adjustThrottle(after: outcome, step)
    if case .wait(let wait, let error) = step, let url = lease.url(of: client),
      !(budgets?.spend(for: url) ?? true)
    {
      step = .wait(max(wait, settings.retry.backoff.cap), error)
    }
    await record(step, of: lease.entry, hadBegun: lease.hadBegun, at: date)
  }

  private func outcome(of lease: OutboxLease) async -> Result<Response, any Error> {
    do {
      var request = try lease.request.get().request(in: folder)
      if request.headers[.idempotencyKey] == nil {
        // A string of a structured field (RFC 9651 section 3.3.3), as the draft wants it.
        request.headers[.idempotencyKey] = "\"\(lease.entry.id.uuidString.lowercased())\""
      }
      request.options.isIdempotent = lease.mayRepeat
      if let url = lease.url(of: client), lease.entry.attempts == 1 { budgets?.earn(for: url) }
      return .success(try await client.load(Resource(request) { $0 }))
    } catch {
      return .failure(error)
    }
  }

  /// Limits attempts after a failure that concerns all entries: one at a time finds out whether the server is there
  /// again.
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

  /// Stores the step after an attempt. As long as the database can't be written, it tries again: until then the entry
  /// counts as under way, and is found as such if this process ends.
  ///
  /// - Parameter hadBegun: Whether an earlier attempt may have reached the server.
  private func record(
    _ step: OutboxRule.Step, of entry: OutboxEntry, hadBegun: Bool = true, at date: Date
  ) async {
    for failures in 1... {
      do {
        return publish(try await stored(step, of: entry, hadBegun: hadBegun, at: date))
      } catch let error as LoadError where error.kind != .closed {
        observers.send(.failed(error))
        if error.isDamage { return await setAside(entry, error) }
        let wait = Backoff(base: .milliseconds(50), cap: .seconds(1), jitter: .none)
        try? await clock.sleep(wait.ceiling(afterFailures: failures))
        if state.withLock(\.isStopped) { return }
      } catch {
        return
      }
    }
  }

  /// Parks an entry whose step can't be stored because the file is damaged. If that fails as well, it counts as under way
  /// until this process ends.
  private func setAside(_ entry: OutboxEntry, _ error: LoadError) async {
    let session = session
    _ = try? await store.write { connection in
      guard try connection.isOutboxLease(entry, of: session) else { return }
      _ = try connection.parkDamaged(entry.number)
    }
    settle(entry.id, .failure(error))
  }

  /// Stores the step after an attempt, if the entry still belongs to this session.
  ///
  /// - Returns: The changes to publish.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  private func stored(
    _ step: OutboxRule.Step, of entry: OutboxEntry, hadBegun: Bool, at date: Date
  ) async throws -> OutboxChanges {
    let (session, hook) = (session, settings.removal)
    return try await store.write { connection in
      var (entry, changes) = (entry, OutboxChanges())
      guard try connection.isOutboxLease(entry, of: session) else { return changes }
      switch step {
      case .answered(let response):
        do {
          try connection.removeFromOutbox(entry, .answered(response), at: date, hook, &changes)
        } catch let error as OutboxHookError {
          let advice = "The server has answered: retry only what may be sent twice"
          try connection.park(entry, LoadError(hook: error.error, advice), at: date, &changes)
        }
      case .wait(let wait, let error):
        let due = date.addingTimeInterval(wait.seconds)
        try connection.postponeInOutbox(
          entry, until: due, hasBegun: hadBegun || !error.isUnsent, error)
        (entry.state, entry.due, entry.error) = (.waiting, due, error)
        changes.events.append(.waiting(entry, error))
      case .park(let error): try connection.park(entry, error, at: date, &changes)
      case .uncertain(let error):
        try connection.park(entry, as: .uncertain, error, at: date, &changes)
      case .release: try connection.postponeInOutbox(entry, until: date, hasBegun: true)
      }
      return changes
    }
  }
}

extension OutboxLease {
  /// The URL, for the budget of its origin.
  fileprivate func url(of client: Client) -> URL? {
    guard case .success(let request) = request else { return nil }
    return request.isPath ? client.configuration.baseURL : URL(string: request.target)
  }
}

// Asking.
extension OutboxSender {
  func ask(_ entry: OutboxEntry) async {
    guard let fate = settings.fate else { return }
    let answer: OutboxFate?
    do { answer = try await fate(entry) } catch {
      if !(error is CancellationError) {
        observers.send(.failed(error as? LoadError ?? LoadError(hook: error)))
      }
      answer = nil
    }
    switch answer {
    case .received(let response): await record(.answered(response), of: entry, at: date)
    case .notReceived: await record(.release, of: entry, at: date)
    case .unknown: await postpone(entry, until: .distantFuture)
    case nil:
      let wait = settings.retry.backoff.ceiling(afterFailures: entry.attempts)
      await postpone(entry, until: date.addingTimeInterval(max(1, wait.seconds)))
    }
  }

  private func postpone(_ entry: OutboxEntry, until date: Date) async {
    let session = session
    do {
      try await store.write { connection in
        guard try connection.isOutboxLease(entry, of: session) else { return }
        try connection.changeInOutbox(entry.number, "due = ?2", [StoredValue(date)])
      }
    } catch {
      if let error = error as? LoadError { observers.send(.failed(error)) }
    }
  }
}
