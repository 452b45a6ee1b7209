internal import Foundation
internal import ResourceLoading

/// An error that ``OutboxSettings/removal`` threw.
struct OutboxHookError: Error { let error: any Error }

// Removing.
typealias OutboxRemovalHook =
  @Sendable (OutboxEntry, OutboxOutcome, ModelTransaction) throws -> Void

extension ModelConnection {
  /// Removes an entry. Entries that waited for it go on, or are parked if it wasn't answered.
  ///
  /// - Throws: ``OutboxHookError``, `CancellationError`, or a `LoadError` of kind `store`.
  func removeFromOutbox(
    _ entry: OutboxEntry, _ outcome: OutboxOutcome, at date: Date, _ hook: OutboxRemovalHook?,
    _ changes: inout OutboxChanges
  ) throws {
    changedTables.insert(Self.outboxTable)
    if let hook { try call(hook, entry, outcome) }
    let number = StoredValue.integer(entry.number)
    let key = StoredValue.text(entry.key.rawValue)
    try resolvePlaceholders(of: entry, outcome, at: date, &changes)
    if case .answered = outcome {} else { try parkDependents(of: entry, at: date, &changes) }
    changes.files += try removeBody(of: entry.number)
    for text in [
      #"DELETE FROM "Outbox entries 1" WHERE number = ?1"#,
      #"DELETE FROM "Outbox requests 1" WHERE entry = ?1"#,
      #"DELETE FROM "Outbox dependencies 1" WHERE entry = ?1"#,
      #"DELETE FROM "Outbox uses 1" WHERE entry = ?1"#,
    ] { try execute(text, [number]) }
    // Only the first of a key holds others up.
    let first = try integer(
      #"SELECT coalesce(min(number), \#(Int64.max)) FROM "Outbox entries 1" WHERE key = ?1"#, [key])
    if first > entry.number {
      try execute(
        #"UPDATE "Outbox entries 1" SET blockers = blockers - 1 WHERE number = ?1"#,
        [.integer(first)])
      try execute(
        """
        UPDATE "Outbox entries 1" SET blockers = blockers - 1 WHERE number IN (
          SELECT entry FROM "Outbox dependencies 1" WHERE key = ?1 AND entry > ?2 AND entry < ?3)
        """, [key, number, .integer(first)])
      try execute(
        #"DELETE FROM "Outbox dependencies 1" WHERE key = ?1 AND entry > ?2 AND entry < ?3"#,
        [key, number, .integer(first)])
    }
    changes.events.append(.removed(entry, outcome))
  }

  /// - Throws: ``OutboxHookError`` with what the hook throws, unless SQLite has undone the whole transaction, or has no
  ///   room for what the hook writes.
  private func call(
    _ hook: OutboxRemovalHook, _ entry: OutboxEntry, _ outcome: OutboxOutcome
  ) throws {
    do {
      try savepoint { try hook(entry, outcome, ModelTransaction(self)) }
    } catch {
      try checkTransaction()
      if let error = error as? LoadError, error.isFullDisk { throw error }
      throw OutboxHookError(error: error)
    }
  }

  /// Removes the pieces of a body.
  ///
  /// - Returns: The names of the files that belonged to it, in the folder of the outbox.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func removeBody(of number: Int64) throws -> [String] {
    let files = try rows(
      #"SELECT file FROM "Outbox bodies 1" WHERE entry = ?1 AND isOwned = 1"#, [.integer(number)]
    ) { $0.text(at: 0) }
    try execute(#"DELETE FROM "Outbox bodies 1" WHERE entry = ?1"#, [.integer(number)])
    return files
  }

  /// Stores the values that an answer gives, or parks the entries that would have needed them.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func resolvePlaceholders(
    of entry: OutboxEntry, _ outcome: OutboxOutcome, at date: Date,
    _ changes: inout OutboxChanges
  ) throws {
    let declared = try rows(
      #"SELECT id, source FROM "Outbox placeholders 1" WHERE entry = ?1"#, [.integer(entry.number)]
    ) { (id: $0.text(at: 0), source: OutboxValueSource(text: $0.text(at: 1))) }
    for (id, source) in declared {
      if case .answered(let response) = outcome, let value = source.value(in: response) {
        try execute(
          #"UPDATE "Outbox placeholders 1" SET value = ?2, entry = 0, given = ?3 WHERE id = ?1"#,
          [.text(id), .blob(value), StoredValue(date)])
      } else {
        let reason = "the value that it needs was never given: \(entry.method) \(entry.target)"
        try park(
          #"WHERE e.number IN (SELECT entry FROM "Outbox uses 1" WHERE placeholder = ?1)"#,
          [.text(id)], because: reason, at: date, &changes)
        try execute(#"DELETE FROM "Outbox placeholders 1" WHERE id = ?1"#, [.text(id)])
      }
      try execute(
        """
        UPDATE "Outbox entries 1" SET blockers = blockers - 1 WHERE number IN (
          SELECT entry FROM "Outbox uses 1" WHERE placeholder = ?1)
        """, [.text(id)])
    }
  }

  /// Parks the entries that were to be sent after the key of an entry, which wasn't answered.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func parkDependents(
    of entry: OutboxEntry, at date: Date, _ changes: inout OutboxChanges
  ) throws {
    try park(
      #"WHERE e.number IN (SELECT entry FROM "Outbox dependencies 1" WHERE key = ?1 AND entry > ?2)"#,
      [.text(entry.key.rawValue), .integer(entry.number)],
      because: "what it comes after was given up or dropped: \(entry.method) \(entry.target)",
      at: date, &changes)
  }

  /// Parks the waiting entries that match a condition.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func park(
    _ condition: String, _ values: [StoredValue], because reason: String, at date: Date,
    _ changes: inout OutboxChanges
  ) throws {
    let error = LoadError(
      .outbox, reason, advice: "Correct the entry, retry it as it is, or drop it")
    for entry in try outboxEntries(condition + " AND e.state = 0", values) {
      try park(entry, error, at: date, &changes)
    }
  }

  /// Stores that an entry waits for a decision: parked or uncertain, and why.
  ///
  /// - Parameter date: When to ask about an uncertain one.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func park(
    _ entry: OutboxEntry, as state: OutboxEntry.State = .parked, _ error: LoadError, at date: Date,
    _ changes: inout OutboxChanges
  ) throws {
    var entry = entry
    (entry.state, entry.due, entry.error) = (state, date, error)
    try changeInOutbox(
      entry.number, "state = ?2, due = ?3", [.integer(Int64(state.rawValue)), StoredValue(date)])
    try storeError(error, of: entry)
    changes.events.append(state == .parked ? .parked(entry, error) : .uncertain(entry, error))
  }

  /// Stores the error of the last attempt.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func storeError(_ error: LoadError, of entry: OutboxEntry) throws {
    try execute(
      #"UPDATE "Outbox requests 1" SET error = ?2 WHERE entry = ?1"#,
      [.integer(entry.number), .blob(error.stored)])
  }

  /// Removes the values of placeholders that no entry contains.
  ///
  /// - Parameter date: Only those that were given before it.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func removePlaceholderValues(before date: Date) throws {
    try execute(
      """
      DELETE FROM "Outbox placeholders 1" WHERE given < ?1
        AND NOT EXISTS (SELECT 1 FROM "Outbox uses 1" WHERE placeholder = id)
      """, [StoredValue(date)])
  }
}

extension LoadError {
  /// The error for an entry whose row isn't as this library writes it.
  static var damagedEntry: LoadError {
    LoadError(
      .store, "the stored request is damaged", advice: "Correct the entry, or drop it",
      underlying: SQLiteError.corrupt)
  }
}
