internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore
internal import Synchronization

extension OutboxSender {
  func send(_ lease: OutboxLease) async {
    storage.events.send(.sending(lease.entry))
    let isSafe = Mutex(lease.isSafe)
    let hasBegun = Mutex(lease.upload?.hasBegun == true)
    let outcome = await outcome(of: lease) { record in
      isSafe.withLock { $0 = record.isSafe }
      hasBegun.withLock { $0 = record.hasBegun }
    }
    let step = pacing.step(
      after: outcome, of: lease.entry, isSafe: isSafe.withLock(\.self),
      hasBegun: hasBegun.withLock(\.self), at: url(of: lease))
    await record(step, of: lease.entry)
  }

  /// - Parameter uploaded: Called with each stored record of an upload that can be resumed.
  private func outcome(
    of lease: OutboxLease, _ uploaded: @escaping @Sendable (UploadRecord) -> Void
  ) async -> Result<Response, any Error> {
    do {
      var request = try lease.request.get().request(in: storage.folder)
      if request.headers[.idempotencyKey] == nil {
        // A string of a structured field (RFC 9651 section 3.3.3), as the draft requires.
        request.headers[.idempotencyKey] = "\"\(lease.entry.id.uuidString.lowercased())\""
      }
      request.options.isIdempotent = lease.entry.mayRepeat
      prepareUpload(&request, of: lease, uploaded)
      if let url = url(of: lease), lease.entry.attempts == 1 { pacing.earn(for: url) }
      let resource = Resource(request) { $0 }.onProgress(of: .upload) {
        [progress = storage.progress, id = lease.entry.id] step in
        progress.send(OutboxProgress(id: id, step: step))
      }
      return .success(try await client.load(resource))
    } catch {
      return .failure(error)
    }
  }

  /// The URL of a request, for the budget of its origin.
  private func url(of lease: OutboxLease) -> URL? {
    try? lease.request.get().url(below: client.configuration.baseURL)
  }

  /// Stores the step after an attempt, and tries again while the database can't be written. Until
  /// then the entry counts as under way, and is found as such if this process ends.
  private func record(_ step: OutboxRule.Step, of entry: OutboxEntry) async {
    for failures in 1... {
      do {
        return try await storage.write { try $0.record(step, of: entry, by: storage.session.id) }
      } catch {
        guard storage.report(error) else { return }
        // Not immediately, because a damaged page may be readable the next time.
        if failures > 2, let error = error as? LoadError, error.isDamage {
          return await setAside(entry, error)
        }
      }
      let wait = Backoff(base: .milliseconds(50), maximum: .seconds(1), jitter: .none)
      let pause = wait.ceiling(afterFailures: failures)
      guard await storage.session.pause(for: pause, storage.clock) else { return }
    }
  }

  /// Parks an entry whose step can't be stored because the file is damaged. If that fails as well,
  /// it counts as under way until this process ends.
  private func setAside(_ entry: OutboxEntry, _ error: LoadError) async {
    _ = try? await storage.write { tables in
      if try tables.isLeased(entry, by: storage.session.id) {
        _ = try tables.parkDamaged(entry.number)
      }
    }
    storage.answers.settle(entry.id, .failure(error))
  }
}

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
      if !(error is CancellationError) {
        storage.report(error as? LoadError ?? LoadError(hook: error))
      }
      let wait = settings.retry.backoff.ceiling(afterFailures: entry.attempts)
      await postpone(entry, until: storage.date.addingTimeInterval(max(1, wait.seconds)))
    }
  }

  private func postpone(_ entry: OutboxEntry, until date: Date) async {
    do {
      try await storage.write { tables in
        guard try tables.isLeased(entry, by: storage.session.id) else { return }
        try tables.change(entry.number, "due = ?2", StoredValue(date))
      }
    } catch { storage.report(error) }
  }
}
