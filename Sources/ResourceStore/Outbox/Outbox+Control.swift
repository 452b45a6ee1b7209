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
    try await change(id) { connection, entry, date in
      try connection.retryInOutbox("number = ?2", [.integer(entry.number)], at: date)
    }
  }

  /// Sends all parked entries again, as they are, such as after the user has signed in.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func retryParked() async throws {
    let date = sender.date
    try await sender.store.write { try $0.retryInOutbox("state > 0 AND state = 2", [], at: date) }
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
    let (sender, date) = (sender, sender.date)
    try sender.beginAdding()
    defer { sender.endAdding() }
    let body = try await request.body?.spooled(encoder: sender.client.configuration.encoder)
    var write = OutboxWrite(request, as: "")
    write.payload = try await sender.store.readOutbox { try $0.outboxEntry(id)?.payload }
    let prepared = try sender.prepare(write, body)
    do {
      let answer = PendingAnswer(for: prepared.id, of: sender)
      let removed = try await sender.store.write { connection -> OutboxRemovals? in
        guard let entry = try connection.outboxEntry(id), entry.state != .sending else {
          return nil
        }
        sender.register(answer, for: prepared.id)
        return try connection.correctInOutbox(entry, prepared, at: date)
      }
      guard let removed else {
        sender.folder.remove(prepared.files)
        return nil
      }
      sender.clean(removed)
      return OutboxReceipt(id: prepared.id, answer: answer)
    } catch {
      sender.folder.remove(prepared.files)
      throw error
    }
  }

  /// Removes an entry that isn't being sent.
  ///
  /// - Returns: Whether it was there and wasn't being sent.
  /// - Throws: What ``OutboxSettings/removal`` throws, `CancellationError`, or a `LoadError` of kind `store` or
  ///   `closed`.
  @discardableResult
  public func drop(_ id: OutboxEntry.ID) async throws -> Bool {
    let (sender, date) = (sender, sender.date)
    let removals = try await sender.store.write { connection -> OutboxRemovals? in
      guard let entry = try connection.outboxEntry(id), entry.state != .sending else { return nil }
      var removals = OutboxRemovals()
      do {
        try connection.removeFromOutbox(
          entry, .dropped, at: date, sender.settings.removal, &removals)
      } catch let error as OutboxHookError { throw error.error }
      return removals
    }
    guard let removals else { return false }
    sender.clean(removals)
    return true
  }

  /// Changes an entry that isn't being sent.
  ///
  /// - Returns: Whether the entry is there and isn't being sent.
  /// - Throws: What the body throws, `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  private func change(
    _ id: OutboxEntry.ID,
    _ body: @escaping @Sendable (ModelConnection, OutboxEntry, Date) throws -> Void
  ) async throws -> Bool {
    let date = sender.date
    return try await sender.store.write { connection in
      guard let entry = try connection.outboxEntry(id), entry.state != .sending else {
        return false
      }
      try body(connection, entry, date)
      return true
    }
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
      let values: [StoredValue] = [.integer(key == nil ? 1 : 0), .text(key?.rawValue ?? "")]
      try connection.execute(
        isPaused
          ? #"INSERT OR IGNORE INTO "Outbox pauses 1" VALUES (?1, ?2)"#
          : #"DELETE FROM "Outbox pauses 1" WHERE isWhole = ?1 AND key = ?2"#, values)
      if let key {
        try connection.execute(
          #"UPDATE "Outbox entries 1" SET isPaused = ?2 WHERE key = ?1"#,
          [.text(key.rawValue), .integer(isPaused ? 1 : 0)])
      }
      connection.changedTables.insert(ModelConnection.outboxTable)
    }
  }
}

extension ModelConnection {
  /// Makes entries due at once.
  ///
  /// - Parameters:
  ///   - condition: The entries; its parameters begin with the second one.
  ///   - values: The values of the parameters.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  fileprivate func retryInOutbox(
    _ condition: String, _ values: [StoredValue], at date: Date
  ) throws {
    changedTables.insert(Self.outboxTable)
    try execute(
      """
      UPDATE "Outbox entries 1" SET state = 0, session = \(ModelConnection.noSession), due = ?1
      WHERE \(condition)
      """, [date.outboxValue] + values)
  }

  /// Replaces the request and the identity of an entry, and makes it due at once.
  ///
  /// - Returns: The entry as it was, and the files that it no longer needs.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, or `outbox` for a placeholder that no entry
  ///   gives.
  fileprivate func correctInOutbox(
    _ entry: OutboxEntry, _ prepared: PreparedWrite, at date: Date
  ) throws -> OutboxRemovals {
    var removals = OutboxRemovals()
    removals.replaced = [entry]
    removals.files = try removeBody(of: entry.number)
    changedTables.insert(Self.outboxTable)
    let blockers = try exchangeUses(of: entry.number, by: prepared.request.placeholders)
    try execute(
      """
      UPDATE "Outbox entries 1" SET id = ?2, state = 0, session = \(ModelConnection.noSession), attempts = 0, due = ?3,
        mayRepeat = ?4, blockers = blockers + ?5 WHERE number = ?1
      """,
      [
        .integer(entry.number), .text(prepared.id.uuidString), date.outboxValue,
        .integer(prepared.mayRepeat ? 1 : 0), .integer(blockers),
      ])
    try insertRequest(prepared.request, prepared.write.payload, entry.number)
    return removals
  }
}
