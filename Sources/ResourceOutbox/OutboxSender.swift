internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore
internal import Synchronization

/// Sends the entries in the tables. It looks for work whenever something has changed, or an entry
/// is due.
final class OutboxSender: Sendable {
  let store: SQLiteStore
  let client: Client
  let settings: OutboxSettings
  let folder: OutboxFolder
  let events = Broadcast<OutboxEvent>()
  let session = UUID().uuidString
  let clock: LoadClock
  let rule: OutboxRule
  let budgets: RetryBudgets?
  let state: Mutex<State>
  let wakes: AsyncStream<Void>
  let waking: AsyncStream<Void>.Continuation

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
    /// The waits before the database is written again.
    var pauses: [Int: Task<Void?, Never>] = [:]
    var taskCount = 0
    var answers: [OutboxEntry.ID: WeakAnswer] = [:]
    /// The number of writes that are being added.
    var additionCount = 0
    var generator: any RandomNumberGenerator & Sendable
  }

  /// A reference to an answer that doesn't keep it alive.
  struct WeakAnswer: Sendable {
    weak var answer: PendingAnswer?
  }

  /// Creates a sender that hasn't begun.
  init(store: SQLiteStore, client: Client, settings: OutboxSettings) {
    self.store = store
    self.client = client
    self.settings = settings
    folder = OutboxFolder(of: store.location)
    clock = LoadClock(client.configuration.clock)
    rule = OutboxRule(
      retry: RetryRule(
        policy: settings.retry, statuses: RetryMiddleware.transientStatuses,
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
  func start() async throws {
    let oldest = settings.placeholderLifetime.map { date.addingTimeInterval(-$0.seconds) }
    try await write { tables in
      try tables.create()
      if let oldest { try tables.removePlaceholderValues(before: oldest) }
    }
    let lock = try folder.begin(session)
    state.withLock { $0.lock = lock }
    try await takeOver()
    try await removeOrphans()
    store.changes.forward(table: OutboxTables.entries, to: waking)
    var tasks: [Task<Void, Never>] = []
    if let interval = settings.checkInterval { tasks.append(Task { await self.check(interval) }) }
    if let network = settings.networkAvailability {
      tasks.append(Task { await self.follow(network) })
    }
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
    let (tasks, waits) = state.withLock { state in
      state.isStopped = true
      defer { (state.background, state.timer, state.pauses) = ([], nil, [:]) }
      let tasks = state.background + [state.loop].compactMap(\.self)
      return (tasks, (pauses: Array(state.pauses.values), timer: state.timer))
    }
    for task in tasks { task.cancel() }
    for pause in waits.pauses { pause.cancel() }
    waits.timer?.cancel()
    waking.finish()
    endIfIdle()
  }

  /// Waits until no attempt is under way.
  func finish() async {
    await state.withLock(\.loop)?.value
    while let task = state.withLock({ $0.running.values.first }) { await task.value }
  }

  /// Ends the session after the last attempt, and with it the waits for answers and the streams of
  /// events.
  func endIfIdle() {
    let ended = state.withLock { state -> (lock: OutputFile?, answers: [WeakAnswer])? in
      guard state.isStopped, state.loop == nil, state.running.isEmpty, state.additionCount == 0
      else { return nil }
      defer { (state.lock, state.answers) = (nil, [:]) }
      return (state.lock, Array(state.answers.values))
    }
    guard let ended else { return }
    if let lock = ended.lock {
      folder.end(session, lock)
      if case .memory = store.location { folder.remove() }
    }
    for weak in ended.answers { weak.answer?.settle(.failure(LoadError.outboxClosed)) }
    events.finish()
  }
}

// Transactions.
extension OutboxSender {
  /// Runs the body on one state of the tables.
  func read<R: Sendable>(_ body: @Sendable (OutboxTables) throws -> R) async throws -> R {
    try await store.snapshot { try body(OutboxTables($0, at: date, settings)) }
  }

  /// Runs the body in a transaction, and publishes its changes after the commit.
  ///
  /// - Parameter date: The time of the transaction; `nil` for now.
  @discardableResult
  func write<R: Sendable>(
    at date: Date? = nil, _ body: @Sendable (OutboxTables) throws -> R
  ) async throws -> R {
    try await store.write { try body(tables(on: $0, at: date ?? self.date)) }
  }

  /// The tables in an open transaction, whose changes are published after the commit.
  func tables(on connection: ModelConnection, at date: Date) -> OutboxTables {
    let tables = OutboxTables(connection, at: date, settings)
    connection.onEnd { isKept in
      if isKept { self.publish(tables.changes) }
    }
    return tables
  }

  private func publish(_ changes: OutboxChanges) {
    folder.remove(changes.files)
    for id in changes.replaced { settle(id, .failure(CancellationError())) }
    for event in changes.events {
      events.send(event)
      switch event {
      case .removed(let entry, .answered(let response)): settle(entry.id, .success(response))
      case .removed(let entry, .givenUp(let error)), .parked(let entry, let error),
        .uncertain(let entry, let error):
        settle(entry.id, .failure(error))
      case .removed(let entry, .dropped): settle(entry.id, .failure(CancellationError()))
      case .sending, .waiting, .failed: break
      }
    }
  }

  /// Sends an error to observers, unless it says that the store was closed, or the task cancelled.
  ///
  /// - Returns: Whether it makes sense to try again.
  @discardableResult
  func report(_ error: any Error) -> Bool {
    guard let error = error as? LoadError, error.kind != .closed else { return false }
    events.send(.failed(error))
    return true
  }
}

// Answers.
extension OutboxSender {
  /// The answer of an entry, which is settled when it comes, or when the outbox has ended.
  func answer(of id: OutboxEntry.ID) -> PendingAnswer {
    let (answer, isStopped) = state.withLock { state in
      let answer = state.answers[id]?.answer ?? PendingAnswer(for: id, of: self)
      if !state.isStopped { state.answers[id] = WeakAnswer(answer: answer) }
      return (answer, state.isStopped)
    }
    if isStopped { answer.settle(.failure(LoadError.outboxClosed)) }
    return answer
  }

  /// Forgets the answer of an entry if nothing waits for it any more.
  func forget(_ id: OutboxEntry.ID) {
    let newer = state.withLock { state in
      let newer = state.answers[id]?.answer
      if newer == nil { state.answers[id] = nil }
      return newer
    }
    // Not under the lock: releasing the last reference to one calls this function again.
    withExtendedLifetime(newer) {}
  }

  func settle(_ id: OutboxEntry.ID, _ result: Result<Response, any Error>) {
    state.withLock { $0.answers.removeValue(forKey: id) }?.answer?.settle(result)
  }
}

extension LoadError {
  static var outboxClosed: LoadError {
    LoadError(.closed, "the outbox was closed", advice: "Open it again: what wasn't sent is stored")
  }

  /// The error for a function of ``OutboxSettings`` that threw.
  init(hook error: any Error, _ advice: String? = nil) {
    self.init(
      .outbox, "the program's own function threw \(error)", advice: advice, underlying: error)
  }
}
