public import Foundation
public import ResourceLoading

// What users decide about single entries. Each throws `CancellationError`, or a `LoadError` of kind `store` or `closed`.
extension Outbox {
  /// Sends a parked or uncertain entry again, as it is, or one that waits for its next attempt at once.
  ///
  /// - Returns: Whether the entry is there and isn't being sent.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  @discardableResult
  public func retry(_ id: OutboxEntry.ID) async throws -> Bool {
    let date = sender.date
    return try await change(id) { connection, entry, _ in
      try connection.changeInOutbox(entry.number, "state = 0, due = ?2", [StoredValue(date)])
    }
  }

  /// Sends all parked entries again, as they are, such as after the user has signed in.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func retryParked() async throws {
    let date = sender.date
    try await sender.store.write { connection in
      connection.changedTables.insert(ModelConnection.outboxTable)
      try connection.execute(
        #"UPDATE "Outbox entries 1" SET state = 0, due = ?1 WHERE state > 0 AND state = 2"#,
        [StoredValue(date)])
    }
  }

  /// Replaces the request of an entry that isn't being sent, and sends it. The entry keeps its place and gets a new
  /// `Idempotency-Key`, and with it a new identity.
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
    struct Missing: Error {}
    let date = sender.date
    do {
      return try await sender.add(OutboxWrite(request, as: "")) { connection, prepared, changes in
        guard let entry = try connection.outboxEntry(id), entry.state != .sending else {
          throw Missing()
        }
        var prepared = prepared
        prepared.write.payload = entry.payload
        try connection.replaceInOutbox(
          entry, by: prepared, added: entry.added, at: date, &changes)
        return true
      }
    } catch is Missing {
      return nil
    }
  }

  /// Removes an entry that isn't being sent.
  ///
  /// - Returns: Whether it was there and wasn't being sent.
  /// - Throws: What ``OutboxSettings/removal`` throws, `CancellationError`, or a `LoadError` of kind `store` or
  ///   `closed`.
  @discardableResult
  public func drop(_ id: OutboxEntry.ID) async throws -> Bool {
    let (hook, date) = (sender.settings.removal, sender.date)
    return try await change(id) { connection, entry, changes in
      try connection.removeFromOutbox(entry, .dropped, at: date, hook, &changes)
    }
  }

  /// Changes an entry that isn't being sent.
  ///
  /// - Returns: Whether the entry is there and isn't being sent.
  /// - Throws: What the body throws, `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  private func change(
    _ id: OutboxEntry.ID,
    _ body: @Sendable (ModelConnection, OutboxEntry, inout OutboxChanges) throws -> Void
  ) async throws -> Bool {
    let changes = try await sender.store.write { connection -> OutboxChanges? in
      guard let entry = try connection.outboxEntry(id), entry.state != .sending else { return nil }
      var changes = OutboxChanges()
      do { try body(connection, entry, &changes) } catch let error as OutboxHookError {
        throw error.error
      }
      return changes
    }
    if let changes { sender.publish(changes) }
    return changes != nil
  }
}

// Pausing. It is stored, and counts for all processes. What is being sent goes on.
extension Outbox {
  /// Begins no further entry, until ``resume()``.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func pause() async throws { try await setPaused(true) }

  /// Goes on after ``pause()``. Keys that were paused stay paused.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func resume() async throws { try await setPaused(false) }

  /// Begins no further entry of a key, until ``resume(_:)``.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func pause(_ key: OutboxKey) async throws { try await setPaused(true, key) }

  /// Goes on with a key after ``pause(_:)``.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func resume(_ key: OutboxKey) async throws { try await setPaused(false, key) }

  /// Stores whether the outbox, or one of its keys, is paused.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  private func setPaused(_ isPaused: Bool, _ key: OutboxKey? = nil) async throws {
    try await sender.store.write { connection in
      let values: [StoredValue] = [.bool(key == nil), .text(key?.rawValue ?? "")]
      try connection.execute(
        isPaused
          ? #"INSERT OR IGNORE INTO "Outbox pauses 1" VALUES (?1, ?2)"#
          : #"DELETE FROM "Outbox pauses 1" WHERE isWhole = ?1 AND key = ?2"#, values)
      if let key {
        try connection.execute(
          #"UPDATE "Outbox entries 1" SET isPaused = ?2 WHERE key = ?1"#,
          [.text(key.rawValue), .bool(isPaused)])
      }
      connection.changedTables.insert(ModelConnection.outboxTable)
    }
  }
}
