public import Foundation
public import Observation
public import ResourceOutbox
import ResourcePrimitives
public import ResourceStore

/// The rows of a model, synced with a server in both directions and observable by user interfaces.
///
/// ```swift
/// let notes = try await SyncedCollection<Note>(outbox) {
///   $0.pull = .array(.notes)
///   $0.create = { .post("/notes").json($0) }
///   $0.update = { .put("/notes/\($0.id)").json($0) }
///   $0.remove = { .delete("/notes/\($0.id)") }
/// }
/// ```
///
/// What is shown is in the model's table of the outbox's store: the rows as the server has sent
/// them, with all changes that are on their way. Change them by this object only. A pull leaves rows
/// alone whose changes are on their way, and an answer becomes part of the row in one transaction
/// with the end of its write. See <doc:SyncingCollections> for what is promised.
///
/// Several processes may use one file. A program has one collection of a model.
@MainActor @Observable
public final class SyncedCollection<Model: SyncedModel> {
  /// The number of writes that wait for an answer.
  public private(set) var waitingCount = 0
  /// The writes about which somebody has to decide, in the order of adding.
  public private(set) var failures: [SyncFailure<Model>] = []
  /// When the last pull ended; `nil` before the first one.
  public private(set) var pulled: Date?
  /// The error of the last pull; `nil` if it succeeded.
  public private(set) var error: (any Error)?
  private var pullCount = 0
  /// The number of reads that were begun.
  @ObservationIgnored private var reads = 0
  /// The last read that was shown.
  @ObservationIgnored private var lastRead = 0
  private let list: SyncedList<Model>
  nonisolated private let engine: SyncEngine<Model>
  @ObservationIgnored private var tasks: [Task<Void, Never>] = []

  /// Opens the collection over the store and the client of an outbox, and follows it.
  ///
  /// - Parameters:
  ///   - outbox: The outbox.
  ///   - configure: Sets the options.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public init(_ outbox: Outbox, configure: (inout SyncOptions<Model>) -> Void) async throws {
    var options = SyncOptions<Model>()
    configure(&options)
    engine = try await SyncEngine(outbox, options)
    list = SyncedList(options.elements, in: outbox.store)
    let changes = engine.changes()
    tasks.append(
      Task { [weak self] in
        await self?.refresh()
        for await _ in changes { await self?.refresh() }
      })
    guard let interval = options.interval else { return }
    tasks.append(
      Task { [weak self, clock = outbox.clock] in
        while (try? await clock.sleep(max(interval, .milliseconds(1)))) != nil {
          guard let self else { return }
          try? await sync()
        }
      })
  }

  isolated deinit { for task in tasks { task.cancel() } }
}

extension SyncedCollection {
  /// The rows of ``SyncOptions/elements``.
  public var elements: [Model] { list.elements }

  /// Whether a pull is under way.
  public var isSyncing: Bool { pullCount > 0 }

  /// Returns the rows of a selection, observable while the result is held.
  public func list(of selection: Selection<Model>) -> SyncedList<Model> {
    SyncedList(selection, in: engine.outbox.store)
  }

  /// The key of a row's writes in the outbox.
  ///
  /// - Throws: A `LoadError` of kind `store` for an id that is neither a number nor a text.
  public nonisolated static func key(of id: Model.ID) throws -> OutboxKey {
    try SyncTransaction<Model>.key(of: id)
  }
}

// Each change is shown and stored with its write in one transaction, and sent after it.
extension SyncedCollection {
  /// Creates or replaces a row.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `invalidRequest`, `outbox`, `store` or
  ///   `closed`. Nothing has changed then.
  public nonisolated func save(_ model: Model) async throws {
    try await engine.change { try $0.set(model, at: model.id) }
  }

  /// Creates or replaces a row in a transaction of the store.
  ///
  /// - Throws: A `LoadError` of kind `invalidRequest`, `outbox` or `store`.
  public nonisolated func save(_ model: Model, in transaction: ModelTransaction) throws {
    try engine.rows(in: transaction).set(model, at: model.id)
  }

  /// Changes a row as it is now. Fields that the closure leaves alone aren't written over what a
  /// pull has brought in the meantime.
  ///
  /// - Returns: The row; `nil` if there is none.
  /// - Throws: What the closure throws, or as ``save(_:)``.
  @discardableResult
  public nonisolated func edit(
    _ id: Model.ID, _ change: @Sendable (inout Model) throws -> Void
  ) async throws -> Model? {
    try await engine.change { rows in
      guard var model = try rows.shown(id) else { return nil }
      try change(&model)
      try rows.set(model, at: id)
      return model
    }
  }

  /// Removes a row. A row that was never sent is forgotten.
  ///
  /// - Throws: As ``save(_:)``.
  public nonisolated func remove(_ id: Model.ID) async throws {
    try await engine.change { try $0.set(nil, at: id) }
  }

  /// Removes a row in a transaction of the store.
  ///
  /// - Throws: As ``save(_:in:)``.
  public nonisolated func remove(_ id: Model.ID, in transaction: ModelTransaction) throws {
    try engine.rows(in: transaction).set(nil, at: id)
  }
}

// What the user decides about a write that has failed. To correct one, save the row.
extension SyncedCollection {
  /// Sends a row as it is shown, whatever the server has.
  ///
  /// - Throws: As ``save(_:)``.
  public nonisolated func retry(_ failure: SyncFailure<Model>) async throws {
    try await engine.change { try $0.retry(failure) }
  }

  /// Takes the row as the server has it.
  ///
  /// - Throws: As ``save(_:)``.
  public nonisolated func drop(_ failure: SyncFailure<Model>) async throws {
    try await engine.change { try $0.drop(failure) }
  }

  /// Removes all rows and writes, to sign out. Answers and pages that arrive later are dropped.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public nonisolated func removeAll() async throws {
    try await engine.change { try $0.removeAll() }
  }
}

extension SyncedCollection {
  /// Pulls what the server has, or waits for the pull under way. Cancelling the task ends the wait
  /// only.
  ///
  /// - Throws: The error of a load, which is in ``error``, too; `CancellationError`; or a `LoadError`
  ///   of kind `store` or `closed`. What has arrived stays.
  public func sync() async throws {
    pullCount += 1
    defer { pullCount -= 1 }
    do { try await engine.sync() } catch {
      if !(error is CancellationError) { self.error = error }
      throw error
    }
    if error != nil { error = nil }
    engine.reconsider()
    await refresh()
  }

  /// Pulls at each element of a sequence, for example when the app enters the foreground or the
  /// network is back, until it ends or the collection is released.
  public func sync<S: AsyncSequence & Sendable>(on signals: S) where S.Element: Sendable {
    tasks.append(
      Task { [weak self] in
        do {
          for try await _ in signals {
            guard let self else { return }
            try? await sync()
          }
        } catch {}
      })
  }

  private func refresh() async {
    reads += 1
    let number = reads
    guard let summary = try? await engine.summary(), number > lastRead else { return }
    lastRead = number
    if waitingCount != summary.waitingCount { waitingCount = summary.waitingCount }
    if !failures.isEmpty || !summary.failures.isEmpty { failures = summary.failures }
    if pulled != summary.pulled { pulled = summary.pulled }
    // Not in this task: a decision may take as long as the user does.
    Task { [weak self, engine] in
      let needsPull = await engine.decide(summary.failures, of: number)
      if needsPull || summary.isIncomplete { try? await self?.sync() }
    }
  }
}

/// The rows of a selection, observable by user interfaces. Only these are in memory, and they are
/// read again after each change of their table.
@MainActor @Observable
public final class SyncedList<Model: SyncedModel> {
  /// The rows.
  public private(set) var elements: [Model] = []
  /// The error of the last read; `nil` if it succeeded.
  public private(set) var error: (any Error)?
  /// The condition, the order and the number of the rows.
  public var selection: Selection<Model> { didSet { follow() } }
  private let store: SQLiteStore
  @ObservationIgnored private var task: Task<Void, Never>?

  init(_ selection: Selection<Model>, in store: SQLiteStore) {
    (self.selection, self.store) = (selection, store)
    follow()
  }

  isolated deinit { task?.cancel() }

  private func follow() {
    task?.cancel()
    let changes = store.changes.changes(of: Model.table.foldedName)
    task = Task { [weak self, updates = store.updates(of: selection)] in
      var changes = changes.makeAsyncIterator()
      repeat {
        do {
          for try await rows in updates { self?.show(rows) }
          return
        } catch {
          if !Task.isCancelled { self?.error = error }
        }
        // The next change may make what couldn't be read readable.
      } while await changes.next() != nil
    }
  }

  private func show(_ rows: [Model]) {
    elements = rows
    if error != nil { error = nil }
  }
}

extension SyncedList {
  /// Whether there may be further rows beyond the limit of the selection.
  public var hasMore: Bool { selection.limit.map { elements.count >= $0 } ?? false }

  /// Raises the limit of the selection. Use it at the end of a list.
  public func showMore(_ count: Int) {
    if let limit = selection.limit { selection.limit = limit + count }
  }
}
