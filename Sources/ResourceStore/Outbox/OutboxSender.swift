internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import Synchronization

/// Sends the entries in the tables. It looks for work whenever something has changed, or an entry is due.
final class OutboxSender: Sendable {
  let store: SQLiteStore
  let client: Client
  let settings: OutboxSettings
  let folder: OutboxFolder
  let observers = OutboxObservers()
  let session = UUID().uuidString
  let clock: LoadClock
  let rule: OutboxRule
  let budgets: RetryBudgets?
  let state: Mutex<State>
  private let wakes: AsyncStream<Void>
  private let waking: AsyncStream<Void>.Continuation

  struct State {
    var throttle: OutboxThrottle
    var hasNetwork = true
    var isClientClosed = false
    /// The `PRAGMA data_version` of the last look at the file.
    var dataVersion: Int64 = 0
    var isStopped = false
    var lock: OutputFile?
    /// The task that looks for work; `nil` before it begins and after it has ended.
    var loop: Task<Void, Never>?
    /// The tasks that observe the network and other processes.
    var background: [Task<Void, Never>] = []
    var timer: Task<Void, Never>?
    var running: [Int: Task<Void, Never>] = [:]
    var taskCount = 0
    var answers: [OutboxEntry.ID: [WeakAnswer]] = [:]
    /// The number of writes that are being added.
    var additionCount = 0
    var generator: any RandomNumberGenerator & Sendable
  }

  /// Makes a sender that hasn't begun.
  init(store: SQLiteStore, client: Client, settings: OutboxSettings) {
    self.store = store
    self.client = client
    self.settings = settings
    folder = OutboxFolder(of: store.location)
    clock = LoadClock(client.configuration.clock)
    rule = OutboxRule(
      retry: RetryRule(
        policy: settings.retry, statuses: RetryMiddleware.passingStatuses,
        maximumRetryAfter: settings.maximumRetryAfter))
    budgets = settings.budget.map(RetryBudgets.init)
    state = Mutex(
      State(
        throttle: OutboxThrottle(limit: settings.maximumConcurrency),
        generator: settings.generator))
    (wakes, waking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var date: Date { clock.date() }
}

// Beginning and ending.
extension OutboxSender {
  /// Prepares the tables and the folder, and begins to look for work.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, `file` or `closed`.
  func start() async throws {
    try await store.write { try $0.createOutboxTables() }
    let lock = try folder.begin(session)
    state.withLock { $0.lock = lock }
    let session = session
    let oldest = settings.placeholderLifetime.map { date.addingTimeInterval(-$0.seconds) }
    try await store.write { connection in
      try connection.beginOutboxSession(session)
      if let oldest { try connection.removePlaceholderValues(before: oldest) }
    }
    try await takeOver()
    try await removeOrphans()
    store.notifier.yieldChanges(of: ModelConnection.outboxTable, to: waking)
    var tasks: [Task<Void, Never>] = []
    if let interval = settings.checkInterval { tasks.append(Task { await self.check(interval) }) }
    if let network = settings.network { tasks.append(Task { await self.follow(network) }) }
    let isStopped = state.withLock { state in
      guard !state.isStopped else { return true }
      state.background = tasks
      state.loop = Task {
        await self.run()
        self.state.withLock { $0.loop = nil }
        self.endIfIdle()
      }
      return false
    }
    if isStopped { for task in tasks { task.cancel() } }
    waking.yield()
  }

  /// Begins no further attempt. Those under way go on.
  func stop() {
    let (tasks, timer) = state.withLock { state in
      state.isStopped = true
      defer { (state.background, state.timer) = ([], nil) }
      return (state.background + [state.loop].compactMap(\.self), state.timer)
    }
    for task in tasks { task.cancel() }
    timer?.cancel()
    waking.finish()
    endIfIdle()
  }

  /// Waits until no attempt is under way.
  func finish() async {
    await state.withLock(\.loop)?.value
    while let task = state.withLock({ $0.running.values.first }) { await task.value }
  }

  /// Ends the session after the last attempt, and with it the waits for answers and the streams of events.
  func endIfIdle() {
    let ended = state.withLock { state -> (OutputFile?, [WeakAnswer])? in
      guard state.isStopped, state.loop == nil, state.running.isEmpty, state.additionCount == 0
      else { return nil }
      defer { (state.lock, state.answers) = (nil, [:]) }
      return (state.lock, state.answers.values.flatMap(\.self))
    }
    guard let ended else { return }
    if let lock = ended.0 {
      folder.end(session, lock)
      if case .memory = store.location { folder.remove() }
    }
    for weak in ended.1 { weak.answer?.settle(.failure(LoadError.outboxClosed)) }
    observers.finish()
  }
}

// Looking for work.
extension OutboxSender {
  private func run() async {
    for await _ in wakes {
      guard !Task.isCancelled else { return }
      do {
        try await pass()
      } catch let error as LoadError where error.kind != .closed {
        observers.send(.failed(error))
        wake(at: clock.now() + .seconds(1))
      } catch {
        return
      }
    }
  }

  /// Gives up entries that are too old, begins what can be sent now, and sets the timer for the next time.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  private func pass() async throws {
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
    let (session, asks) = (session, settings.fate != nil)
    // Nothing waits longer than that, unless the calendar was set back.
    let longest = max(settings.maximumRetryAfter, settings.retry.backoff.cap)
    let latest = date.addingTimeInterval(longest.seconds)
    let work: OutboxWork
    do {
      work = try await store.write { connection in
        try connection.hastenOutbox(dueAfter: latest, at: date)
        return try connection.beginOutboxWork(session, limit: capacity, asks: asks, at: date)
      }
    } catch let error as LoadError where error.isDamage {
      try await parkDamaged(limit: capacity, at: date, because: error)
      return
    }
    for lease in work.leases { begin { await self.send(lease) } }
    for entry in work.questions { begin { await self.ask(entry) } }
    if let next = work.next, next > date {
      // Further away than any clock counts is further away than tomorrow.
      let seconds = min(86_400, next.timeIntervalSince(date))
      wake(at: now + .milliseconds(Int64((seconds * 1000).rounded(.up))))
    }
  }

  /// Parks those of the entries to be begun that are damaged, so that they don't hold up the others. Each is read and
  /// parked in a transaction of its own, because after such an error SQLite refuses the rest of a transaction.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`; the given one if none is damaged.
  private func parkDamaged(limit: Int, at date: Date, because error: LoadError) async throws {
    let ready = try await store.snapshot { try $0.readyOutboxEntries(limit: limit, at: date) }
    var count = 0
    for number in ready {
      do { _ = try await store.snapshot { try $0.outboxLease(number) } } catch let error
        as LoadError where error.isDamage
      {
        let id = try await store.write { try $0.parkDamaged(number) }
        observers.send(.failed(error))
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
    let (oldest, hook) = (date.addingTimeInterval(-age.seconds), settings.removal)
    do {
      publish(try await store.write { try $0.giveUpInOutbox(addedBefore: oldest, at: date, hook) })
    } catch let error as LoadError where error.kind != .closed {
      observers.send(.failed(error))
    } catch {}
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

  private func check(_ interval: Duration) async {
    while (try? await clock.sleep(interval)) != nil {
      do {
        try await store.checkForOtherProcesses()
        if try await takeOver() { try await removeOrphans() }
        try await settleMissing()
        if settings.maximumAge != nil { waking.yield() }
      } catch let error as LoadError where error.kind != .closed {
        observers.send(.failed(error))
      } catch {
        return
      }
    }
  }

  private func follow(_ network: any AsyncSequence<Bool, Never> & Sendable) async {
    for await hasNetwork in network {
      let returned = state.withLock { state in
        defer { state.hasNetwork = hasNetwork }
        if hasNetwork { state.throttle.recover() }
        return hasNetwork && !state.hasNetwork
      }
      if returned {
        let date = date
        do { try await store.write { try $0.hastenOutbox(dueAfter: date, at: date) } } catch {
          if let error = error as? LoadError { observers.send(.failed(error)) }
        }
      }
      waking.yield()
    }
  }
}

// Other sessions.
extension OutboxSender {
  /// Takes over the entries of sessions that have ended.
  ///
  /// - Returns: Whether there were any.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  @discardableResult
  private func takeOver() async throws -> Bool {
    let (session, folder, date) = (session, folder, date)
    let others = try await store.snapshot { try $0.outboxSessions(except: session) }
    let ended = others.filter(folder.removeIfEnded)
    for other in ended {
      publish(try await store.write { try $0.endOutboxSession(other, at: date) })
    }
    return !ended.isEmpty
  }

  /// Removes the files that sessions have left which ended before their commit.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  private func removeOrphans() async throws {
    let (session, folder, files) = (session, folder, folder.files)
    for other in files.sessions where other != session { _ = folder.removeIfEnded(other) }
    // After that, so that a session whose file is gone has ended.
    let bodies = Dictionary(grouping: files.bodies, by: \.session)
      .filter { $0.key != session && folder.removeIfEnded($0.key) }
      .values.joined().map(\.name)
    guard !bodies.isEmpty else { return }
    folder.remove(
      try await store.snapshot { connection in
        try bodies.filter { try !connection.isOutboxFileUsed($0) }
      })
  }

  /// Ends the waits for entries that other processes have removed, if one has written since the last look.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  private func settleMissing() async throws {
    // On the connection that writes, where no entry is being added meanwhile.
    let missing = try await store.writer.run { connection -> [OutboxEntry.ID] in
      let version = try connection.integer("PRAGMA data_version")
      let ids = state.withLock { state in
        defer { state.dataVersion = version }
        return state.dataVersion == version ? [] : Array(state.answers.keys)
      }
      return try ids.filter {
        try !connection.hasRow(in: #""Outbox entries 1" WHERE id = ?1"#, [.text($0.uuidString)])
      }
    }
    for id in missing {
      settle(
        id,
        .failure(
          LoadError(.outbox, "another process has sent the write, or it was dropped there")))
    }
  }
}
