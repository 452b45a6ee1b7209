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
  private let clock: LoadClock
  private let rule: OutboxRule
  private let budgets: RetryBudgets?
  private let state: Mutex<State>
  private let wakes: AsyncStream<Void>
  private let waking: AsyncStream<Void>.Continuation

  private struct State {
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
  private func endIfIdle() {
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
    let ready = try await store.readOutbox { try $0.readyOutboxEntries(limit: limit, at: date) }
    var count = 0
    for number in ready {
      do { _ = try await store.readOutbox { try $0.outboxLease(number) } } catch let error
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
      clean(try await store.write { try $0.giveUpInOutbox(addedBefore: oldest, at: date, hook) })
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

// Sending.
extension OutboxSender {
  private func send(_ lease: OutboxLease) async {
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
    if case .release = step { state.withLock { $0.isClientClosed = true } }
    adjustThrottle(after: outcome, step)
    if case .wait(let wait, let error) = step, let url = lease.url(of: client),
      !(budgets?.spend(for: url) ?? true)
    {
      step = .wait(max(wait, settings.retry.backoff.cap), error)
    }
    await record(step, of: lease, at: date)
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
  private func record(_ step: OutboxRule.Step, of lease: OutboxLease, at date: Date) async {
    for failures in 1... {
      do {
        if let change = try await stored(step, of: lease, at: date) { publish(change) }
        return
      } catch let error as LoadError where error.kind != .closed {
        observers.send(.failed(error))
        if error.isDamage { return await setAside(lease.entry, error) }
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

  private struct Change: Sendable {
    var event: OutboxEvent?
    var removals = OutboxRemovals()
  }

  /// Stores the step after an attempt, if the entry still belongs to this session.
  ///
  /// - Returns: The changes to publish; `nil` if the entry belongs to this session no longer.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  private func stored(
    _ step: OutboxRule.Step, of lease: OutboxLease, at date: Date
  ) async throws -> Change? {
    let (session, hook) = (session, settings.removal)
    return try await store.write { connection in
      var (entry, change) = (lease.entry, Change())
      guard try connection.isOutboxLease(entry, of: session) else { return nil }
      switch step {
      case .answered(let response):
        do {
          try connection.removeFromOutbox(
            entry, .answered(response), at: date, hook, &change.removals)
        } catch let error as OutboxHookError {
          change.event = try connection.stop(&entry, .parked, LoadError(hook: error.error))
        }
      case .wait(let wait, let error):
        let due = date.addingTimeInterval(wait.seconds)
        try connection.postponeInOutbox(
          entry, until: due, hasBegun: lease.hadBegun || !error.isUnsent, error)
        (entry.state, entry.due, entry.error) = (.waiting, due, error)
        change.event = .waiting(entry, error)
      case .park(let error): change.event = try connection.stop(&entry, .parked, error)
      case .uncertain(let error):
        change.event = try connection.stop(&entry, .uncertain, error)
        try connection.postponeQuestion(entry, until: date)
      case .release where lease.mayRepeat:
        try connection.postponeInOutbox(entry, until: date, hasBegun: true, nil)
      case .release:
        let error = LoadError(.outbox, "the client was closed while the write was under way")
        change.event = try connection.stop(&entry, .uncertain, error)
      }
      return change
    }
  }

  private func publish(_ change: Change) {
    clean(change.removals)
    guard let event = change.event else { return }
    observers.send(event)
    switch event {
    case .parked(let entry, let error), .uncertain(let entry, let error):
      settle(entry.id, .failure(error))
    default: break
    }
  }
}

extension ModelConnection {
  /// Stores that an entry waits for a decision of the user.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  fileprivate func stop(
    _ entry: inout OutboxEntry, _ state: OutboxEntry.State, _ error: LoadError
  ) throws -> OutboxEvent {
    try park(entry.number, state, error)
    (entry.state, entry.error) = (state, error)
    return state == .parked ? .parked(entry, error) : .uncertain(entry, error)
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
  private func ask(_ entry: OutboxEntry) async {
    guard let fate = settings.fate else { return }
    let answer: OutboxFate?
    do { answer = try await fate(entry) } catch {
      if !(error is CancellationError) {
        observers.send(.failed(error as? LoadError ?? LoadError(hook: error)))
      }
      answer = nil
    }
    let lease = OutboxLease(
      entry: entry, request: .failure(LoadError(.outbox, "asked")), mayRepeat: true, hadBegun: true)
    switch answer {
    case .received(let response): await record(.answered(response), of: lease, at: date)
    case .notReceived: await record(.release, of: lease, at: date)
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
        try connection.postponeQuestion(entry, until: date)
      }
    } catch {
      if let error = error as? LoadError { observers.send(.failed(error)) }
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
    let others = try await store.readOutbox { try $0.outboxSessions(except: session) }
    let ended = others.filter(folder.removeIfEnded)
    for other in ended { try await store.write { try $0.endOutboxSession(other, at: date) } }
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
      try await store.readOutbox { connection in
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
      return try ids.filter { try !connection.hasOutboxEntry($0) }
    }
    for id in missing {
      settle(
        id,
        .failure(
          LoadError(.outbox, "another process has sent the write, or it was dropped there")))
    }
  }
}

// Adding.
extension OutboxSender {
  /// Makes a write ready to be stored: encodes its body, and copies its files.
  ///
  /// - Throws: A `LoadError` of kind `invalidRequest` or `file`.
  func prepare(_ write: OutboxWrite, _ body: WireBody?) throws -> PreparedWrite {
    var request = try StoredRequest(write.request, publicNames: write.publicNames)
    let mayRepeat =
      write.request.options.isIdempotent
      ?? (settings.serverHonoursIdempotencyKeys
        || ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(request.method.rawValue))
    do {
      for segment in body?.segments ?? [] {
        request.pieces.append(try keep(segment, write.files, body?.isTemporary ?? false))
      }
    } catch {
      let made = PreparedWrite(id: UUID(), write: write, request: request, mayRepeat: false).files
      folder.remove(made)
      throw error
    }
    return PreparedWrite(id: UUID(at: date), write: write, request: request, mayRepeat: mayRepeat)
  }

  /// Returns a piece of a body in the form in which it is stored, and copies it to a file if necessary.
  ///
  /// - Throws: A `LoadError` of kind `file` if there is no room, and `invalidRequest` if a file can't be read.
  private func keep(
    _ segment: WireBody.Segment, _ files: OutboxFiles, _ isTemporary: Bool
  ) throws -> StoredRequest.Piece {
    switch segment {
    case .data(let data)
    where data.count <= StoredRequest.largestInlineData
      || !OutboxPlaceholder.all(in: data).isEmpty:
      return .data(data)
    case .file(let url, _) where files == .referenced && !isTemporary:
      return .referenced(url, length: segment.length)
    default:
      let name = try folder.keep(
        segment, of: session, synchronizing: store.settings.syncsEveryCommit)
      return .owned(name: name, length: segment.length)
    }
  }

  /// Stores a prepared write, in an open transaction. What follows from that is published after the transaction.
  ///
  /// - Returns: The receipt.
  /// - Throws: What ``OutboxSettings/removal`` throws, `CancellationError`, or a `LoadError` of kind `store`, or
  ///   `outbox` for a placeholder that nothing gives, or that is given already.
  func add(_ prepared: PreparedWrite, on connection: ModelConnection) throws -> OutboxReceipt {
    let answer = PendingAnswer(for: prepared.id, of: self)
    // Before the commit: another task may send it right after that.
    register(answer, for: prepared.id)
    let addition: OutboxAddition
    do {
      addition = try connection.addToOutbox(prepared, at: date, removal: settings.removal)
    } catch let error as OutboxHookError {
      throw error.error
    }
    connection.onEnd { self.finish(prepared, addition, isKept: $0) }
    return OutboxReceipt(id: addition.isStored ? prepared.id : nil, answer: answer)
  }

  /// Publishes what follows from adding a write, after the end of its transaction.
  private func finish(_ prepared: PreparedWrite, _ addition: OutboxAddition, isKept: Bool) {
    if isKept { clean(addition.removals) }
    guard !isKept || !addition.isStored else { return }
    folder.remove(prepared.files)
    settle(prepared.id, .failure(isKept ? CancellationError() : LoadError.outboxUndone))
  }

  /// Keeps the session, to which the files of a write belong until its commit, until ``endAdding()``.
  ///
  /// - Throws: A `LoadError` of kind `closed` after ``stop()``.
  func beginAdding() throws {
    try state.withLock { state in
      guard !state.isStopped else { throw LoadError.outboxClosed }
      state.additionCount += 1
    }
  }

  func endAdding() {
    state.withLock { $0.additionCount -= 1 }
    endIfIdle()
  }
}

// Answers.
extension OutboxSender {
  func register(_ answer: PendingAnswer, for id: OutboxEntry.ID) {
    let isStopped = state.withLock { state in
      if !state.isStopped { state.answers[id, default: []].append(WeakAnswer(answer: answer)) }
      return state.isStopped
    }
    if isStopped { answer.settle(.failure(LoadError.outboxClosed)) }
  }

  /// Removes the references to answers of an entry that nobody waits for any more.
  func forget(_ id: OutboxEntry.ID) {
    let living = state.withLock { state -> [PendingAnswer] in
      let living = state.answers[id, default: []].compactMap(\.answer)
      state.answers[id] = living.isEmpty ? nil : living.map(WeakAnswer.init)
      return living
    }
    // Not under the lock: releasing the last reference to one calls this function again.
    withExtendedLifetime(living) {}
  }

  private func settle(_ id: OutboxEntry.ID, _ result: Result<Response, any Error>) {
    let answers = state.withLock { $0.answers.removeValue(forKey: id) } ?? []
    for weak in answers { weak.answer?.settle(result) }
  }

  /// Publishes the removals of a transaction, and removes the files.
  func clean(_ removals: OutboxRemovals) {
    folder.remove(removals.files)
    for error in removals.failures { observers.send(.failed(LoadError(hook: error))) }
    for entry in removals.replaced { settle(entry.id, .failure(CancellationError())) }
    for entry in removals.parked {
      let error = entry.error ?? LoadError(.outbox, "what the write needed is gone")
      observers.send(.parked(entry, error))
      settle(entry.id, .failure(error))
    }
    for (entry, outcome) in removals.entries {
      observers.send(.removed(entry, outcome))
      switch outcome {
      case .answered(let response): settle(entry.id, .success(response))
      case .givenUp(let error): settle(entry.id, .failure(error))
      case .dropped: settle(entry.id, .failure(CancellationError()))
      }
    }
  }
}

/// The streams of those who observe the events of an outbox.
final class OutboxObservers: Sendable {
  private let state = Mutex(State())

  private struct State {
    var streams: [UUID: AsyncStream<OutboxEvent>.Continuation] = [:]
    var isFinished = false
  }

  func stream() -> AsyncStream<OutboxEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
    let id = UUID()
    let isFinished = state.withLock { state in
      if !state.isFinished { state.streams[id] = continuation }
      return state.isFinished
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
    }
    if isFinished { continuation.finish() }
    return stream
  }

  func send(_ event: OutboxEvent) {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(event) }
  }

  func finish() {
    let streams = state.withLock { state in
      state.isFinished = true
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}

extension LoadError {
  fileprivate static var outboxClosed: LoadError {
    LoadError(.closed, "the outbox was closed", advice: "Open it again: what wasn't sent is stored")
  }

  fileprivate static var outboxUndone: LoadError {
    LoadError(
      .outbox, "the transaction in which the write was added was undone", advice: "Add it again")
  }

  init(hook error: any Error) {
    self.init(
      .outbox, "the program's own function threw \(error)",
      advice: "The server has answered: retry only what may be sent twice", underlying: error)
  }
}
