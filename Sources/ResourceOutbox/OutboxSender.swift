internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore
internal import Synchronization

/// Sends the entries in the tables. It looks for work whenever something has changed, or an entry
/// is due.
final class OutboxSender: Sendable {
  let storage: OutboxStorage
  let pacing: OutboxPacing
  private let wakes: AsyncStream<Void>
  private let waking: AsyncStream<Void>.Continuation
  /// The task that looks for work, which ends after the last attempt.
  private let loop = Mutex<Task<Void, Never>?>(nil)

  init(_ storage: OutboxStorage) {
    self.storage = storage
    pacing = OutboxPacing(storage.settings, storage.clock)
    (wakes, waking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var settings: OutboxSettings { storage.settings }

  var client: Client { storage.client }

  private var clock: LoadClock { storage.clock }
}

extension OutboxSender {
  func start() throws {
    try storage.session.beginUse()
    storage.store.changes.forward(table: OutboxTables.entries, to: waking)
    waking.yield()
    // It also sends the writes of later callers.
    let loop = Deadline.withoutCurrent {
      Task {
        await run()
        storage.session.endUse()
      }
    }
    self.loop.withLock { $0 = loop }
  }

  /// Starts no more attempts. Those under way continue.
  func stop() {
    storage.session.stop()
    storage.stopCancelling()
    waking.finish()
  }

  /// Looks for work.
  func wake() { waking.yield() }

  /// Waits until no attempt is under way.
  func finish() async { await loop.withLock(\.self)?.value }
}

extension OutboxSender {
  private func run() async {
    var background: [Task<Void, Never>] = []
    if let interval = settings.checkInterval {
      background.append(Task { await check(every: interval) })
    }
    if let network = settings.networkAvailability {
      background.append(Task { await follow(network) })
    }
    await withDiscardingTaskGroup { attempts in
      attempts.addTask { [self] in await cancelUploads() }
      var timer: Task<Void, Never>?
      for await _ in wakes where !storage.session.isStopped {
        let next: Duration?
        do { next = try await beginWork(in: &attempts) } catch {
          guard storage.report(error) else { break }
          next = clock.now() + .seconds(1)
        }
        timer?.cancel()
        timer = next.map { moment in
          Task { if (try? await clock.sleepUntil(moment)) != nil { waking.yield() } }
        }
      }
      for task in background + [timer].compactMap(\.self) { task.cancel() }
    }
  }

  /// Gives up entries that are too old, and begins what can be sent now. Returns the time at which
  /// there is more to do; `nil` if only a change brings more.
  private func beginWork(in attempts: inout DiscardingTaskGroup) async throws -> Duration? {
    // The clock may move on before a timer begins to wait.
    let (date, now) = (storage.date, clock.now())
    await giveUp(at: date)
    let capacity = pacing.capacity(at: now)
    guard capacity.count > 0 else { return capacity.resumption }
    let work: OutboxWork
    do { work = try await findWork(limit: capacity.count, at: date) } catch let error as LoadError
      where error.isDamage
    {
      try await parkDamaged(limit: capacity.count, because: error)
      return nil
    }
    for lease in work.leases { begin(in: &attempts) { await self.send(lease) } }
    for entry in work.questions { begin(in: &attempts) { await self.ask(entry) } }
    // A day at most: a clock can't count every interval that a date can have.
    return work.next.flatMap { $0 > date ? min(86_400, $0.timeIntervalSince(date)) : nil }
      .map { now + .milliseconds(Int64(($0 * 1000).rounded(.up))) }
  }

  private func findWork(limit: Int, at date: Date) async throws -> OutboxWork {
    // Nothing waits longer than that, unless the calendar was set back.
    let longest = max(settings.maximumRetryAfter, settings.retry.backoff.maximum)
    return try await storage.write(at: date) { tables in
      // It may have waited for other writes.
      guard !storage.session.isStopped else { return OutboxWork() }
      try tables.hasten(dueAfter: date.addingTimeInterval(longest.seconds))
      return try tables.beginWork(
        storage.session.id, limit: limit, asks: settings.checkDelivery != nil)
    }
  }

  /// Parks those of the entries to be begun that are damaged, so that they don't delay the others.
  /// Each is read and parked in a transaction of its own, because after such an error SQLite
  /// refuses the rest of a transaction.
  private func parkDamaged(limit: Int, because error: LoadError) async throws {
    let ready = try await storage.read { try $0.readyEntries(limit: limit) }
    var count = 0
    for number in ready {
      do { _ = try await storage.read { try $0.lease(number) } } catch let error as LoadError
        where error.isDamage
      {
        let id = try await storage.write { try $0.parkDamaged(number) }
        storage.report(error)
        if let id { storage.answers.settle(id, .failure(error)) }
        count += 1
      }
    }
    guard count > 0 else { throw error }
    waking.yield()
  }

  /// Gives up entries that are too old. If that fails, the others are sent anyway.
  private func giveUp(at date: Date) async {
    guard let age = settings.maximumAge else { return }
    do {
      try await storage.write(at: date) {
        try $0.giveUp(addedBefore: date.addingTimeInterval(-age.seconds))
      }
    } catch { storage.report(error) }
  }

  private func begin(
    in attempts: inout DiscardingTaskGroup, _ body: @escaping @Sendable () async -> Void
  ) {
    pacing.begin()
    attempts.addTask { [self] in
      await body()
      pacing.end()
      waking.yield()
    }
  }
}

extension OutboxSender {
  /// Sets all entries due whenever there is a network again.
  private func follow(_ network: any AsyncSequence<Bool, Never> & Sendable) async {
    for await hasNetwork in network {
      if pacing.setNetwork(hasNetwork) {
        do { try await storage.write { try $0.hasten(dueAfter: $0.date) } } catch {
          storage.report(error)
        }
      }
      waking.yield()
    }
  }

  /// Looks regularly for what other processes have added or sent, and for processes that have
  /// ended.
  private func check(every interval: Duration) async {
    var version: Int64 = 0
    // Without a pause, this loop would leave no time for anything else.
    while (try? await clock.sleep(max(interval, .milliseconds(1)))) != nil {
      do {
        try await storage.store.checkForOtherProcesses()
        if try await storage.takeOver() { try await storage.removeOrphans() }
        try await storage.settleMissing(since: &version)
        if settings.maximumAge != nil { waking.yield() }
      } catch {
        guard storage.report(error) else { return }
      }
    }
  }
}
