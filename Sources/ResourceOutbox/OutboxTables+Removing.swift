internal import Foundation
internal import ResourceLoading
import ResourceStore

extension OutboxTables {
  /// Removes an entry. Entries that waited for it continue, or are parked if it wasn't answered.
  func remove(_ entry: OutboxEntry, _ outcome: OutboxOutcome) throws {
    guard try allowsRemoval(of: entry, outcome) else { return }
    connection.changedTables.insert(Self.entries)
    try resolvePlaceholders(of: entry, outcome)
    if case .answered = outcome {
    } else {
      try parkDependents(of: entry)
      try cancelUpload(of: entry)
    }
    try removeBody(of: entry.number)
    for text in [
      #"DELETE FROM "Outbox entries 1" WHERE number = ?1"#,
      #"DELETE FROM "Outbox requests 1" WHERE entry = ?1"#,
      #"DELETE FROM "Outbox dependencies 1" WHERE entry = ?1"#,
      #"DELETE FROM "Outbox uses 1" WHERE entry = ?1"#,
    ] { try connection.execute(text, [.integer(entry.number)]) }
    if entry.kind != nil {
      try connection.execute(
        #"DELETE FROM "Outbox kinds 1" WHERE entry = ?1"#, [.integer(entry.number)])
    }
    try unblock(behind: entry)
    changes.events.append(.removed(entry, outcome))
  }

  /// Calls the program's own function for the removal of an entry, and returns whether to remove
  /// it. If the function throws, its changes are undone, and an answered entry is parked; one that
  /// is too old is removed anyway.
  private func allowsRemoval(of entry: OutboxEntry, _ outcome: OutboxOutcome) throws -> Bool {
    let removal = settings.onRemoval
    guard removal != nil || entry.kind != nil else { return true }
    do {
      try connection.savepoint {
        try removal?(entry, outcome, ModelTransaction(connection))
        try handle(entry, outcome)
      }
      return true
    } catch {
      try connection.checkTransaction()
      if LoadError(hook: error).isPassingShortage { throw error }
      switch outcome {
      case .dropped: throw error
      case .givenUp:
        changes.events.append(.failed(LoadError(hook: error)))
        return true
      case .answered:
        let advice = "The server has answered: retry only what may be sent twice"
        try park(entry, LoadError(hook: error, advice))
        return false
      }
    }
  }

  /// Unblocks the entries that waited for a removed entry. Only the first of a key blocks others.
  private func unblock(behind entry: OutboxEntry) throws {
    let key = StoredValue.text(entry.key.rawValue)
    let first = try connection.integer(
      #"SELECT coalesce(min(number), \#(Int64.max)) FROM "Outbox entries 1" WHERE key = ?1"#, [key])
    guard first > entry.number else { return }
    let range: [StoredValue] = [key, .integer(entry.number), .integer(first)]
    try update("blockers = blockers - 1 WHERE number = ?1", [.integer(first)])
    try update(
      """
      blockers = blockers - 1 WHERE number IN (
        SELECT entry FROM "Outbox dependencies 1" WHERE key = ?1 AND entry > ?2 AND entry < ?3)
      """, range)
    try connection.execute(
      #"DELETE FROM "Outbox dependencies 1" WHERE key = ?1 AND entry > ?2 AND entry < ?3"#, range)
  }

  /// Removes the pieces of a body, and their files after the commit.
  func removeBody(of number: Int64) throws {
    changes.files += try connection.rows(
      #"SELECT file FROM "Outbox bodies 1" WHERE entry = ?1 AND isOwned = 1"#, [.integer(number)]
    ) { $0.text(at: 0) }
    try connection.execute(#"DELETE FROM "Outbox bodies 1" WHERE entry = ?1"#, [.integer(number)])
    try connection.execute(#"DELETE FROM "Outbox uploads 1" WHERE entry = ?1"#, [.integer(number)])
  }

  /// Stores the values that an answer provides, or parks the entries that would have needed them.
  private func resolvePlaceholders(of entry: OutboxEntry, _ outcome: OutboxOutcome) throws {
    let declared = try connection.rows(
      #"SELECT id, source FROM "Outbox placeholders 1" WHERE entry = ?1"#, [.integer(entry.number)]
    ) { (id: StoredValue.text($0.text(at: 0)), source: OutboxValueSource(text: $0.text(at: 1))) }
    let users = #"number IN (SELECT entry FROM "Outbox uses 1" WHERE placeholder = ?1)"#
    for (id, source) in declared {
      if case .answered(let response) = outcome, let value = source.value(in: response) {
        try connection.execute(
          #"UPDATE "Outbox placeholders 1" SET value = ?2, entry = 0, given = ?3 WHERE id = ?1"#,
          [id, .blob(value), StoredValue(date)])
      } else {
        let reason = "the value that it needs was never given: \(entry.method) \(entry.target)"
        try park("e.\(users)", [id], because: reason)
        try connection.execute(#"DELETE FROM "Outbox placeholders 1" WHERE id = ?1"#, [id])
      }
      try update("blockers = blockers - 1 WHERE \(users)", [id])
    }
  }
}

extension OutboxTables {
  /// Parks the entries that were to be sent after the key of an entry, which wasn't answered.
  private func parkDependents(of entry: OutboxEntry) throws {
    try park(
      #"e.number IN (SELECT entry FROM "Outbox dependencies 1" WHERE key = ?1 AND entry > ?2)"#,
      [.text(entry.key.rawValue), .integer(entry.number)],
      because: "what it comes after was given up or dropped: \(entry.method) \(entry.target)")
  }

  private func park(_ condition: String, _ values: [StoredValue], because reason: String) throws {
    let error = LoadError(
      .outbox, reason, advice: "Correct the entry, retry it as it is, or drop it")
    for entry in try entries("WHERE \(condition) AND e.state = \(Self.waiting)", values) {
      try park(entry, error)
    }
  }

  /// Stores that an entry waits for a decision: parked or uncertain, and why.
  func park(
    _ entry: OutboxEntry, as state: OutboxEntry.State = .parked, _ error: LoadError
  ) throws {
    var entry = entry
    (entry.state, entry.due, entry.error) = (state, date, error)
    try change(
      entry.number, "state = ?2, due = ?3", .integer(Int64(state.rawValue)), StoredValue(date))
    try store(error, of: entry)
    changes.events.append(state == .parked ? .parked(entry, error) : .uncertain(entry, error))
  }

  /// Parks an entry whose rows can't be read or changed, without its error, because nothing else
  /// can be stored of it. Returns its identity; `nil` if that is damaged.
  func parkDamaged(_ number: Int64) throws -> OutboxEntry.ID? {
    try change(number, "state = \(Self.parked)")
    return try connection.rows(
      #"SELECT id FROM "Outbox entries 1" WHERE number = ?1"#, [.integer(number)]
    ) { UUID(uuidString: $0.text(at: 0)) }.first ?? nil
  }

  func store(_ error: LoadError, of entry: OutboxEntry) throws {
    try connection.execute(
      #"UPDATE "Outbox requests 1" SET error = ?2 WHERE entry = ?1"#,
      [.integer(entry.number), .blob(error.stored)])
  }

  /// Gives up entries. What another module shows isn't taken back without a decision: its entry
  /// waits for one.
  func giveUp(addedBefore oldest: Date) throws {
    let entries = try entries(
      """
      WHERE e.session = \(Self.noSession) AND e.added < ?1
        AND (k.kind IS NULL OR e.state = \(Self.waiting) AND k.decided < ?1)
      ORDER BY e.added LIMIT 100
      """, [StoredValue(oldest)])
    for entry in entries {
      var error = entry.error ?? LoadError(.outbox, "it was never sent")
      error.reason = "the write was given up, because it is older than maximumAge: \(error.reason)"
      if entry.kind == nil {
        try remove(entry, .givenUp(error))
      } else {
        try park(entry, as: entry.hasBegun ? .uncertain : .parked, error)
      }
    }
  }
}
