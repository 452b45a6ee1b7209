internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore
internal import Synchronization

// Looking for work.
extension OutboxSender {
  /// Looks for work whenever something has changed, or an entry is due.
  func run() async {
    for await _ in wakes {
      guard !Task.isCancelled else { return }
      do { try await beginWork() } catch {
        guard report(error) else { return }
        wake(at: clock.now() + .seconds(1))
      }
    }
  }

  /// Gives up entries that are too old, begins what can be sent now, and sets the timer for the
  /// next time.
  private func beginWork() async throws {
    // The clock may move on before a timer begins to wait.
    let (date, now) = (date, clock.now())
    await giveUp(at: date)
    let (capacity, resumption) = state.withLock { state -> (Int, Duration?) in
      guard state.hasNetwork, !state.isClientClosed, !state.isStopped else { return (0, nil) }
      let capacity = state.throttle.capacity(running: state.running.count, at: now)
      return (capacity, state.throttle.resumption)
    }
    guard capacity > 0 else {
      if let resumption, resumption > now { wake(at: resumption) }
      return
    }
    let work: OutboxWork
    do { work = try await findWork(limit: capacity, at: date) } catch let error as LoadError
      where error.isDamage
    {
      return try await parkDamaged(limit: capacity, because: error)
    }
    for lease in work.leases { begin { await self.send(lease) } }
    for entry in work.questions { begin { await self.ask(entry) } }
    if let next = work.next, next > date {
      // A day at most: a clock can't count every interval that a date can have.
      let seconds = min(86_400, next.timeIntervalSince(date))
      wake(at: now + .milliseconds(Int64((seconds * 1000).rounded(.up))))
    }
  }

  private func findWork(limit: Int, at date: Date) async throws -> OutboxWork {
    // Nothing waits longer than that, unless the calendar was set back.
    let longest = max(settings.maximumRetryAfter, settings.retry.backoff.maximum)
    return try await write(at: date) { tables in
      try tables.hasten(dueAfter: date.addingTimeInterval(longest.seconds))
      return try tables.beginWork(session, limit: limit, asks: settings.checkDelivery != nil)
    }
  }

  /// Parks those of the entries to be begun that are damaged, so that they don't hold up the
  /// others. Each is read and parked in a transaction of its own, because after such an error
  /// SQLite refuses the rest of a transaction.
  private func parkDamaged(limit: Int, because error: LoadError) async throws {
    let ready = try await read { try $0.readyEntries(limit: limit) }
    var count = 0
    for number in ready {
      do { _ = try await read { try $0.lease(number) } } catch let error as LoadError
        where error.isDamage
      {
        let id = try await write { try $0.parkDamaged(number) }
        report(error)
        if let id { settle(id, .failure(error)) }
        count += 1
      }
    }
    guard count > 0 else { throw error }
    waking.yield()
  }

  /// Gives up entries that are too old. If that fails, the others are sent nevertheless.
  private func giveUp(at date: Date) async {
    guard let age = settings.maximumAge else { return }
    do {
      try await write(at: date) {
        try $0.giveUp(addedBefore: date.addingTimeInterval(-age.seconds))
      }
    } catch { report(error) }
  }

  private func begin(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      state.taskCount += 1
      let number = state.taskCount
      state.running[number] = Task {
        await body()
        self.state.withLock { _ = $0.running.removeValue(forKey: number) }
        self.waking.yield()
        self.endIfIdle()
      }
    }
  }

  private func wake(at moment: Duration) {
    let timer = Task {
      guard (try? await clock.sleepUntil(moment)) != nil else { return }
      waking.yield()
    }
    let old = state.withLock { state in
      defer { state.timer = state.isStopped ? nil : timer }
      return state.isStopped ? timer : state.timer
    }
    old?.cancel()
  }

  /// Makes all entries due whenever there is a network again.
  func follow(_ network: any AsyncSequence<Bool, Never> & Sendable) async {
    for await hasNetwork in network {
      let returned = state.withLock { state in
        defer { state.hasNetwork = hasNetwork }
        if hasNetwork { state.throttle.recover() }
        return hasNetwork && !state.hasNetwork
      }
      if returned {
        do { try await write { try $0.hasten(dueAfter: $0.date) } } catch { report(error) }
      }
      waking.yield()
    }
  }
}

// Other sessions.
extension OutboxSender {
  /// Looks regularly for what other processes have added or sent, and for processes that have
  /// ended.
  func check(_ interval: Duration) async {
    // At once, again and again, would leave no time for anything else.
    while (try? await clock.sleep(max(interval, .milliseconds(1)))) != nil {
      do {
        try await store.checkForOtherProcesses()
        if try await takeOver() { try await removeOrphans() }
        try await settleMissing()
        if settings.maximumAge != nil { waking.yield() }
      } catch {
        guard report(error) else { return }
      }
    }
  }

  /// Takes over the entries of sessions that have ended.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  func takeOver() async throws -> Bool {
    let others = try await read { try $0.sessions(except: session) }
    let ended = others.filter(folder.removeIfEnded)
    for other in ended { try await write { try $0.endSession(other) } }
    return !ended.isEmpty
  }

  /// Removes the files that sessions have left which ended before their commit.
  func removeOrphans() async throws {
    let files = folder.files
    for other in files.sessions where other != session { _ = folder.removeIfEnded(other) }
    // After that, so that a session whose file is gone has ended.
    let bodies = Dictionary(grouping: files.bodies, by: \.session)
      .filter { $0.key != session && folder.removeIfEnded($0.key) }
      .values.joined().map(\.name)
    guard !bodies.isEmpty else { return }
    folder.remove(
      try await read { tables in try bodies.filter { try !tables.isFileUsed($0) } })
  }

  /// Ends the waits for entries that other processes have removed, if one has written since the
  /// last look.
  private func settleMissing() async throws {
    // On the connection that writes, where no entry is being added meanwhile.
    let missing = try await store.writer.run { connection -> [OutboxEntry.ID] in
      let version = try connection.integer("PRAGMA data_version")
      let ids = state.withLock { state in
        defer { state.dataVersion = version }
        return state.dataVersion == version ? [] : Array(state.answers.keys)
      }
      let tables = OutboxTables(connection, at: date, settings)
      return try ids.filter { try !tables.hasEntry(where: "id = ?1", .text($0.uuidString)) }
    }
    let error = LoadError(.outbox, "another process has sent the write, or it was dropped there")
    for id in missing { settle(id, .failure(error)) }
  }
}
