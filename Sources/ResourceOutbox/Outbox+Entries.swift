public import ResourceLoading
public import ResourceStore

extension Outbox {
  /// Returns a sequence of the entries as they are now, and again whenever they have changed, also
  /// by other processes.
  ///
  /// An optimistic change is visible for as long as its entry is in this list: take the model as
  /// the server has it, and apply what was attached to the entries of its key, in order.
  ///
  /// ```swift
  /// for try await entries in outbox.entries(of: .note(note.id)) {
  ///   show(try entries.last?.payload(as: Note.self) ?? note)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - key: Only the entries of this key; `nil` for all keys.
  ///   - states: Only the entries in these states; `nil` for all.
  ///   - limit: The most entries, the first ones added first; `nil` for any number.
  public func entries(
    of key: OutboxKey? = nil, in states: Set<OutboxEntry.State>? = nil, limit: Int? = nil
  ) -> Updates<[OutboxEntry]> {
    let storage = storage
    return Updates(
      changes: { storage.store.changes.changes(of: OutboxTables.entries) },
      read: { try await storage.read { try $0.entries(of: key, in: states, limit) } })
  }

  /// Returns the entries as they are now.
  ///
  /// - Parameters:
  ///   - key: Only the entries of this key; `nil` for all keys.
  ///   - states: Only the entries in these states; `nil` for all.
  ///   - limit: The most entries, the first ones added first; `nil` for any number.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func currentEntries(
    of key: OutboxKey? = nil, in states: Set<OutboxEntry.State>? = nil, limit: Int? = nil
  ) async throws -> [OutboxEntry] {
    try await storage.read { try $0.entries(of: key, in: states, limit) }
  }

  /// Returns how much of an entry's body this process sends from now on: the bytes that have left
  /// it, of all that the entry has. What the server has of an upload that goes on counts.
  ///
  /// A sequence that is read slowly gets the newest progress only. It may go back with a new
  /// attempt, because what has left the process needn't have arrived. It ends when this process
  /// removes the entry, and when the outbox is closed; ``Outbox/events`` say what became of the
  /// entry.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func progress(of id: OutboxEntry.ID) async throws -> AsyncStream<TransferProgress> {
    let (steps, continuation) = AsyncStream.makeStream(
      of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    storage.progress.forward(to: continuation) { progress in
      guard progress.id == id else { return nil }
      if progress.step == nil { continuation.finish() }
      return progress.step
    }
    // It may have been removed before.
    if try await storage.read({ try $0.entry(id) }) == nil { continuation.finish() }
    return steps
  }

  /// Returns the number of entries.
  ///
  /// - Parameter states: Only the entries in these states; `nil` for all.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func count(in states: Set<OutboxEntry.State>? = nil) async throws -> Int {
    try await storage.read { try $0.count(in: states) }
  }
}

// What users decide about single entries. Each throws `CancellationError`, or a `LoadError` of kind
// `store` or `closed`.
extension Outbox {
  /// Sends a parked or uncertain entry again, as it is, or one that waits for its next attempt at
  /// once.
  ///
  /// - Returns: Whether the entry is there and isn't being sent.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  @discardableResult
  public func retry(_ id: OutboxEntry.ID) async throws -> Bool {
    try await change(id) { try $0.retry($1) }
  }

  /// Sends all parked entries again, as they are, for example after the user has signed in.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func retryParked() async throws {
    try await storage.write { try $0.retryParked() }
  }

  /// Replaces the request of an entry that isn't being sent, and sends it. The entry keeps its
  /// place and gets a new `Idempotency-Key`, and with it a new identity.
  ///
  /// - Parameters:
  ///   - id: The entry.
  ///   - request: The corrected request.
  /// - Returns: The receipt of the corrected entry; `nil` if the entry is gone or is being sent.
  /// - Throws: As ``add(_:as:after:configure:)``.
  @discardableResult
  public func correct(
    _ id: OutboxEntry.ID, with request: Request
  ) async throws -> OutboxReceipt? {
    let receipt = try await storage.add(OutboxWrite(request, as: "")) { tables, prepared in
      guard let entry = try tables.entry(id), entry.state != .sending else { return false }
      var prepared = prepared
      prepared.write.payload = entry.payload
      try tables.replace(entry, by: prepared, added: entry.added)
      return true
    }
    return receipt.id == nil ? nil : receipt
  }

  /// Removes an entry that isn't being sent.
  ///
  /// - Returns: Whether it was there and wasn't being sent.
  /// - Throws: What ``OutboxSettings/onRemoval`` throws, `CancellationError`, or a `LoadError` of
  ///   kind `store` or `closed`.
  @discardableResult
  public func drop(_ id: OutboxEntry.ID) async throws -> Bool {
    try await change(id) { try $0.remove($1, .dropped) }
  }

  /// Changes an entry; returns `false` if it is gone or being sent.
  private func change(
    _ id: OutboxEntry.ID, _ body: @Sendable (OutboxTables, OutboxEntry) throws -> Void
  ) async throws -> Bool {
    try await storage.write { tables in
      guard let entry = try tables.entry(id), entry.state != .sending else { return false }
      try body(tables, entry)
      return true
    }
  }
}

// A pause is stored, and applies to all processes. Entries that are being sent aren't interrupted.
extension Outbox {
  /// Starts no more entries until ``resume()``.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func pause() async throws {
    try await storage.write { try $0.setPaused(true, nil) }
  }

  /// Continues after ``pause()``. Keys that were paused stay paused.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func resume() async throws {
    try await storage.write { try $0.setPaused(false, nil) }
  }

  /// Starts no more entries of a key until ``resume(_:)``.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func pause(_ key: OutboxKey) async throws {
    try await storage.write { try $0.setPaused(true, key) }
  }

  /// Continues a key after ``pause(_:)``.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func resume(_ key: OutboxKey) async throws {
    try await storage.write { try $0.setPaused(false, key) }
  }
}
