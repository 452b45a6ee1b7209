import Foundation
public import Observation
import ResourceJSON
public import ResourceLoading
public import ResourceOutbox
import ResourcePrimitives
public import ResourceState
import ResourceStore

/// Writes that live resources show at once, and that survive the network and the process.
///
/// ```swift
/// let request = Request.put("/notes/\(note.id)").json(note)
/// try await writes.send(request, as: .note(note.id), SaveNote(note: note))
/// ```
///
/// A resource shows the last value that the server has sent, with the changes of all waiting writes
/// applied in order: those of this run, of earlier ones, and of other processes that use the same
/// file. The change is stored with the write, in one transaction. When the server has answered, the
/// change becomes part of the value. When it refuses, the change is removed, the resource shows the
/// error, and the write is in ``failures`` until the user has decided.
///
/// Loads go on while a write waits: their values are shown below its changes. What was being loaded
/// when a write was answered is loaded anew, because it may be older than the write.
///
/// Everything happens on the main actor.
@MainActor
public final class DurableWrites {
  nonisolated static let prefix = "live:"
  /// How long answered writes are kept for other processes, and for responses in a cache.
  private static let lifetime: TimeInterval = 7 * 86_400

  private let live: LiveResources
  private let outbox: Outbox
  private let types: [String: any DurableChange.Type]
  private let registrar = ObservationRegistrar()
  private var layers: [UUID: Layer] = [:]
  private var failed: [DurableFailure] = []
  private var lastRecord: Int64 = 0
  /// The number of reads that were begun, and the last one that was shown.
  private var (reads, lastRead) = (0, 0)
  /// The number of calls of ``removeAll()``, and how many of them are under way.
  private var (removals, removalsUnderWay) = (0, 0)
  /// The end of the last addition, so that writes are stored in the order of their changes.
  private var lastAddition: Task<Void, Never>?
  private var following: Task<Void, Never>?

  /// The changes of a write, as live resources show them.
  private struct Layer {
    let change: any DurableChange
    let changes: LiveChanges
    var write: UInt64
    /// The number of the entry; `nil` until it is stored.
    var number: Int64?
    /// Whether the changes were removed, because the write was refused.
    var isRefused = false
  }

  /// Shows the writes that an outbox has of earlier runs, and follows it from now on.
  ///
  /// - Parameters:
  ///   - live: The live resources, before they have loaded anything.
  ///   - outbox: The outbox.
  ///   - changes: The types of all changes that this program stores.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public init(
    _ live: LiveResources, _ outbox: Outbox, _ changes: any DurableChange.Type...
  ) async throws {
    (self.live, self.outbox) = (live, outbox)
    types = Dictionary(changes.map { ($0.kind, $0) }) { first, _ in first }
    let stream = outbox.store.changes.changes(of: outbox.table)
    try await forgetOldRecords()
    let state = try await read(after: 0)
    for record in state.records { keep(record) }
    show(state.entries)
    following = Task { [weak self] in
      for await _ in stream { await self?.refresh() }
    }
  }

  isolated deinit { following?.cancel() }
}

extension DurableWrites: Observable {}

extension DurableWrites {
  /// The writes that were refused, or whose outcome is unknown, in the order of adding.
  public var failures: [DurableFailure] {
    registrar.access(self, keyPath: \.failures)
    return failed
  }

  /// The number of writes that wait for an answer.
  public var waitingCount: Int {
    registrar.access(self, keyPath: \.waitingCount)
    return layers.values.count { !$0.isRefused }
  }

  /// Stores a write, which is then sent. Its changes are shown before this function suspends.
  ///
  /// - Parameters:
  ///   - request: The request to send.
  ///   - key: Identifies the thing that the write changes: writes with one key are sent one after
  ///     another.
  ///   - change: The changes that it is expected to make.
  ///   - configure: Sets the other properties of the write. Its payload belongs to this module.
  /// - Returns: The receipt, to wait for the answer, as soon as the write is in the database. It
  ///   may be ignored.
  /// - Throws: As `Outbox.add`. Nothing is stored then, and the changes are removed.
  @discardableResult
  public func send<Change: DurableChange>(
    _ request: Request, as key: OutboxKey, _ change: Change,
    configure: (inout OutboxWrite) throws -> Void = { _ in }
  ) async throws -> OutboxReceipt {
    precondition(types[Change.kind] != nil, "\(Change.self) must be named when it is created")
    let (token, before) = (UUID(), lastAddition)
    let write = try Self.write(request, key, change, token, configure)
    begin(change, token)
    let addition = Task { [outbox] in
      await before?.value
      return try await outbox.add(request, as: key) { $0 = write }
    }
    lastAddition = Task { _ = await addition.result }
    do {
      let receipt = try await addition.value
      await refresh()
      return receipt
    } catch {
      remove(token)
      throw error
    }
  }

  private static func write<Change: DurableChange>(
    _ request: Request, _ key: OutboxKey, _ change: Change, _ token: UUID,
    _ configure: (inout OutboxWrite) throws -> Void
  ) throws -> OutboxWrite {
    var write = OutboxWrite(request, as: key)
    try configure(&write)
    write.kind = Change.kind
    try write.attach(StoredChange(token: token, change: change))
    return write
  }
}

// What the user decides about a write that has failed. Each throws `CancellationError`, or a
// `LoadError` of kind `store` or `closed`.
extension DurableWrites {
  /// Sends a write again as it is, and shows its changes again.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func retry(_ failure: DurableFailure) async throws {
    try await outbox.retry(failure.id)
    await refresh()
  }

  /// Replaces a write by a corrected one, which is sent in its place.
  ///
  /// - Parameters:
  ///   - failure: The write.
  ///   - request: The corrected request.
  ///   - change: The corrected changes.
  /// - Throws: As `Outbox.add`.
  public func correct<Change: DurableChange>(
    _ failure: DurableFailure, with request: Request, _ change: Change
  ) async throws {
    let write = try Self.write(request, failure.entry.key, change, UUID()) { _ in }
    try await outbox.store.transaction { [outbox] transaction in
      let outbox = outbox.transaction(in: transaction)
      guard let entry = try outbox.entry(failure.id),
        entry.state != .sending
      else { return }
      try outbox.replace(entry, by: write)
    }
    await refresh()
  }

  /// Removes a write.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func drop(_ failure: DurableFailure) async throws {
    try await outbox.drop(failure.id)
    await refresh()
  }

  /// Removes all writes and all values of the live resources, to sign out. Answers that arrive
  /// later are ignored.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`. The values in
  ///   memory are removed even then.
  public func removeAll() async throws {
    removals += 1
    removalsUnderWay += 1
    defer { removalsUnderWay -= 1 }
    live.removeAll()
    change { (layers, failed) = ([:], []) }
    try await outbox.store.transaction { [outbox] transaction in
      try outbox.transaction(in: transaction).removeAll(ofKinds: Self.prefix)
    }
  }
}

extension DurableWrites {
  private struct Stored {
    var entries: [OutboxEntry]
    var records: [OutboxRecord]
  }

  private func read(after number: Int64) async throws -> Stored {
    try await outbox.store.snapshot { [outbox] connection in
      let outbox = outbox.transaction(on: connection)
      return Stored(
        entries: try outbox.entries(ofKinds: Self.prefix),
        records: try outbox.records(ofKinds: Self.prefix, after: number))
    }
  }

  private func forgetOldRecords() async throws {
    let oldest = outbox.clock.date().addingTimeInterval(-Self.lifetime)
    try await outbox.store.write { [outbox] connection in
      try outbox.transaction(on: connection).removeRecords(ofKinds: Self.prefix, before: oldest)
    }
  }

  /// Shows what has changed in the outbox. A read that fails is repeated after the next change.
  private func refresh() async {
    reads += 1
    let (before, number, first) = (removals, reads, lastRecord)
    guard removalsUnderWay == 0, let state = try? await read(after: first) else { return }
    // What was read before a removal has ended may be from before it.
    guard removals == before else { return }
    // A read that was begun later may have been faster. After each change one is begun.
    guard number > lastRead, state.records.last?.number ?? first >= lastRecord else { return }
    lastRead = number
    for record in state.records where record.number > lastRecord { take(record) }
    show(state.entries)
  }
}

// Records and entries, as the outbox has them.
extension DurableWrites {
  private func change(_ body: () -> Void) {
    registrar.withMutation(of: self, keyPath: \.failures) {
      registrar.withMutation(of: self, keyPath: \.waitingCount, body)
    }
  }

  private func begin(_ change: any DurableChange, _ token: UUID) {
    var changes = LiveChanges()
    change.apply(to: &changes)
    let write = live.beginDurableWrite(changes)
    self.change { layers[token] = Layer(change: change, changes: changes, write: write) }
  }

  private func remove(_ token: UUID) {
    guard let layer = layers[token] else { return }
    live.refuseDurableWrite(layer.write, nil)
    if layer.isRefused { live.forgetRefusal(of: layer.write, layer.changes) }
    change { layers[token] = nil }
  }

  private func stored(_ kind: String?, _ payload: Data?) -> (UUID, any DurableChange)? {
    guard let kind, let payload, let type = types[kind],
      let token = try? JSONDecoder().decode(StoredToken.self, from: payload).token,
      let change = try? type.stored(in: payload)
    else { return nil }
    return (token, change)
  }

  /// Keeps an answer of an earlier run for responses that were stored before it.
  private func keep(_ record: OutboxRecord) {
    lastRecord = record.number
    guard let answer = record.answer, let (_, change) = stored(record.kind, record.payload) else {
      return
    }
    var (changes, further) = (LiveChanges(), LiveChanges())
    change.apply(to: &changes)
    try? change.confirm(answer, in: &further)
    live.keepAnsweredWrite(changes, further, record.date)
  }

  /// Ends a write that was answered or removed.
  private func take(_ record: OutboxRecord) {
    lastRecord = record.number
    guard let (token, change) = stored(record.kind, record.payload) else { return }
    guard let answer = record.answer else { return remove(token) }
    if layers[token]?.isRefused == true { remove(token) }
    if layers[token] == nil { begin(change, token) }
    guard let layer = layers[token] else { return }
    var further = LiveChanges()
    try? change.confirm(answer, in: &further)
    live.endDurableWrite(layer.write, answered: record.date, further)
    self.change { layers[token] = nil }
  }

  /// Shows the changes of the entries, in their order.
  private func show(_ entries: [OutboxEntry]) {
    var (tokens, failures) = (Set<UUID>(), [DurableFailure]())
    for entry in entries {
      guard let (token, change) = stored(entry.kind, entry.payload) else { continue }
      tokens.insert(token)
      if layers[token] == nil { begin(change, token) }
      layers[token]?.number = entry.number
      update(token, by: entry)
      guard [.parked, .uncertain].contains(entry.state) else { continue }
      let error = entry.error ?? LoadError(.outbox, "the write wasn't answered")
      failures.append(
        DurableFailure(id: entry.id, entry: entry, change: change, error: error))
    }
    // Those that were replaced, or removed by another process.
    for (token, layer) in layers where layer.number != nil && !tokens.contains(token) {
      remove(token)
    }
    let isSame = failures.map(\.id) == failed.map(\.id)
    if !isSame || !failures.isEmpty { self.change { failed = failures } }
  }

  private func update(_ token: UUID, by entry: OutboxEntry) {
    guard let layer = layers[token] else { return }
    switch (entry.state, layer.isRefused) {
    case (.parked, false):
      live.refuseDurableWrite(
        layer.write, entry.error ?? LoadError(.outbox, "the write was refused"))
      change { layers[token]?.isRefused = true }
    case (.parked, true): break
    case (_, true):
      live.forgetRefusal(of: layer.write, layer.changes)
      restore(token, entry.number)
    case (_, false): break
    }
  }

  /// Shows the changes of a write again, below those of later ones.
  private func restore(_ token: UUID, _ number: Int64) {
    let later = layers.filter { ($0.value.number ?? .max) > number && !$0.value.isRefused }
      .sorted { ($0.value.number ?? .max) < ($1.value.number ?? .max) }
    for (_, layer) in later { live.refuseDurableWrite(layer.write, nil) }
    for token in [token] + later.map(\.key) {
      guard let changes = layers[token]?.changes else { continue }
      layers[token]?.write = live.beginDurableWrite(changes)
      layers[token]?.isRefused = false
    }
  }
}
