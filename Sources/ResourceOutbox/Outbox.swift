public import Foundation
internal import PromiseModule
public import ResourceLoading
public import ResourceStore

/// Writes that survive the network, the process and the machine: they are stored before they are
/// sent, and sent until the server has answered.
///
/// ```swift
/// let outbox = try await Outbox(store: store, client: client)
/// let receipt = try await outbox.add(.put("/notes/\(note.id)").json(note), as: .note(note.id))
/// let answer = try await receipt.answer()
/// ```
///
/// An outbox begins with what earlier runs left. Several processes may use one file: each entry is
/// sent by one of them. A store has one outbox; for several services, use absolute URLs or several
/// stores. See <doc:WritingOffline> for what it guarantees.
///
/// All members may be used from any thread. Releasing the outbox stops it, like ``close()``,
/// without waiting.
public final class Outbox: Sendable {
  let storage: OutboxStorage
  let sender: OutboxSender

  /// Opens the outbox of a store: creates its tables, takes over the entries of processes that have
  /// ended, removes the files that they left, and begins to send.
  ///
  /// - Parameters:
  ///   - store: The store that keeps the entries. It must stay open.
  ///   - client: The client that sends them. Its clock measures the waits.
  ///   - settings: The settings.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, `file` or `closed`, such as
  ///   for a database that can only be read.
  public init(
    store: SQLiteStore, client: Client, settings: OutboxSettings = OutboxSettings()
  ) async throws {
    storage = OutboxStorage(store, settings, client)
    sender = OutboxSender(storage)
    do {
      try await storage.open()
      try sender.start()
    } catch {
      sender.stop()
      throw error
    }
  }

  deinit { sender.stop() }

  /// Stops sending, and waits for the requests under way. Entries that weren't sent stay in the
  /// store. Adding throws from now on. Closing twice does nothing.
  public func close() async {
    sender.stop()
    await sender.finish()
  }

  /// The events of entries in this process from now on. Each sequence gets all events; they are
  /// kept until they are consumed. It ends when the outbox is closed.
  public var events: AsyncStream<OutboxEvent> {
    let (events, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
    storage.events.forward(to: continuation) { $0 }
    return events
  }
}

extension Outbox {
  /// Stores a write, which is then sent.
  ///
  /// ```swift
  /// try await outbox.add(.put("/notes/\(note.id)").json(note), as: .note(note.id)) {
  ///   $0.compaction = .replacing
  ///   try $0.attach(note)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request to send.
  ///   - key: Identifies the thing that the write changes: entries with one key are sent one after
  ///     another.
  ///   - after: Further keys: it is sent after all entries that these have now.
  ///   - configure: Sets the other properties of the write.
  /// - Returns: The receipt, to wait for the answer, as soon as the write is in the database. It
  ///   may be ignored.
  /// - Throws: What `configure` throws, or ``OutboxSettings/onRemoval`` for an entry that the write
  ///   cancels; `CancellationError`, with nothing stored; a `LoadError` of kind `invalidRequest`
  ///   for a request that can't be stored, `file` if a file can't be copied, `outbox` for a
  ///   placeholder that no earlier entry provides, `store`, or `closed` after ``close()``.
  @discardableResult
  public func add(
    _ request: Request, as key: OutboxKey, after: OutboxKey...,
    configure: (inout OutboxWrite) throws -> Void = { _ in }
  ) async throws -> OutboxReceipt {
    let write = try OutboxWrite(request, as: key, after: after, configure)
    return try await storage.add(write) { try $0.add($1) }
  }

  /// Stores a write in a transaction of the outbox's store, together with the models that change
  /// with it. It is sent after the commit, and gone if the transaction is undone.
  ///
  /// ```swift
  /// try await store.transaction { transaction in
  ///   try transaction.upsert(note)
  ///   try outbox.add(.put("/notes/\(note.id)").json(note), as: .note(note.id), in: transaction)
  /// }
  /// ```
  ///
  /// Files of the body are copied at once, while other writes wait.
  ///
  /// - Parameters:
  ///   - request: The request to send; its body can't be a stream.
  ///   - key: Identifies the thing that the write changes: entries with one key are sent one after
  ///     another.
  ///   - after: Further keys: it is sent after all entries that these have now.
  ///   - transaction: The open transaction.
  ///   - configure: Sets the other properties of the write.
  /// - Returns: The receipt, to wait for the answer. It may be ignored.
  /// - Throws: As ``add(_:as:after:configure:)``.
  @discardableResult
  public func add(
    _ request: Request, as key: OutboxKey, after: OutboxKey..., in transaction: ModelTransaction,
    configure: (inout OutboxWrite) throws -> Void = { _ in }
  ) throws -> OutboxReceipt {
    let write = try OutboxWrite(request, as: key, after: after, configure)
    return try storage.add(write, on: transaction.connection)
  }
}

extension OutboxWrite {
  fileprivate init(
    _ request: Request, as key: OutboxKey, after: [OutboxKey],
    _ configure: (inout OutboxWrite) throws -> Void
  ) rethrows {
    self.init(request, as: key)
    self.after = after
    try configure(&self)
  }
}

extension Outbox {
  /// Returns a receipt to wait for the answer of an entry, such as one that an earlier run has
  /// added.
  ///
  /// - Returns: The receipt; `nil` if the entry is gone.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func receipt(for id: OutboxEntry.ID) async throws -> OutboxReceipt? {
    // Before it is looked up, so that no answer is missed.
    let answer = storage.answers[id]
    guard try await storage.read({ try $0.entry(id) }) != nil else { return nil }
    return OutboxReceipt(id: id, answer: answer)
  }

  /// Returns the value of a placeholder, such as the id that the server gave, as text.
  ///
  /// - Returns: The value; `nil` as long as the server hasn't given it.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func value(of placeholder: OutboxPlaceholder) async throws -> String? {
    try await storage.read { try $0.value(of: placeholder)?.text }
  }
}

/// The result of ``Outbox/add(_:as:after:configure:)``, by which the answer can be awaited while
/// this process lives.
public struct OutboxReceipt: Sendable {
  /// The identity of the entry; `nil` if nothing is sent, because the entries that it would have
  /// undone weren't sent.
  public let id: OutboxEntry.ID?

  let answer: PendingAnswer

  /// Waits for the answer.
  ///
  /// Cancelling the task ends the wait and changes nothing else. Several tasks may wait.
  ///
  /// - Returns: The server's answer.
  /// - Throws: The `LoadError` with which the entry was parked, given up, or became uncertain; use
  ///   ``Outbox/receipt(for:)`` to wait for its outcome. A `LoadError` of kind `outbox` if another
  ///   process has sent it, or if the transaction in which it was added was undone, and of kind
  ///   `closed` if the outbox was closed. `CancellationError` if the entry was dropped, cancelled
  ///   or replaced, or if the task is cancelled.
  public func answer() async throws -> Response { try await answer.value() }
}
