internal import Foundation
internal import ResourceLoading

/// A write that is ready to be stored; its files are in the outbox's folder.
struct PreparedWrite: Sendable {
  let id: OutboxEntry.ID
  var write: OutboxWrite
  var request: StoredRequest
  var mayRepeat: Bool

  /// The names of the files in the outbox's folder.
  var files: [String] {
    request.pieces.compactMap { if case .owned(let name, _) = $0 { name } else { nil } }
  }
}

/// The result of adding an entry.
struct OutboxAddition: Sendable {
  /// Whether the entry was stored: `false` if it was cancelled together with earlier ones.
  var isStored = true
  var removals = OutboxRemovals()
}

/// The removals of a transaction, to be published after it: to waiting tasks, to observers, and to the folder.
struct OutboxRemovals: Sendable {
  var entries: [(entry: OutboxEntry, outcome: OutboxOutcome)] = []
  /// The entries that newer ones replaced.
  var replaced: [OutboxEntry] = []
  /// The entries that were parked because a value or an entry that they need is gone.
  var parked: [OutboxEntry] = []
  /// The names of files that nothing refers to any more.
  var files: [String] = []
  /// The errors that ``OutboxSettings/removal`` threw for entries that were removed nevertheless.
  var failures: [any Error] = []
}

// All functions run in a transaction, and throw `CancellationError`, or a `LoadError` of kind `store`.
extension ModelConnection {
  /// Stores an entry.
  ///
  /// - Throws: ``OutboxHookError``, `CancellationError`, or a `LoadError` of kind `store`, or `outbox` for a
  ///   placeholder that nothing gives, or that is given already.
  func addToOutbox(
    _ prepared: PreparedWrite, at date: Date, removal: OutboxRemovalHook?
  ) throws -> OutboxAddition {
    var addition = OutboxAddition()
    let write = prepared.write
    let used = prepared.request.placeholders
    changedTables.insert(Self.outboxTable)
    switch write.compaction {
    case .none: break
    case .replacing:
      if try replaceInOutbox(prepared, used, at: date, &addition) { return addition }
    case .cancelling:
      if try cancelInOutbox(before: prepared, at: date, removal, &addition) { return addition }
    }
    var blockers: Int64 = 0
    if try hasOutboxEntry(of: write.key) { blockers += 1 }
    let keys = try Set(write.after).filter { try $0 != write.key && hasOutboxEntry(of: $0) }
    blockers += Int64(keys.count)
    blockers += try countUnresolved(used)
    try insertInOutbox(prepared, blockers, at: date)
    let number = try integer("SELECT last_insert_rowid()")
    for key in keys {
      try execute(
        #"INSERT INTO "Outbox dependencies 1" VALUES (?1, ?2)"#,
        [.text(key.rawValue), .integer(number)])
    }
    try insertDetails(prepared, used, number)
    return addition
  }

  /// Returns whether an entry is there.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func hasOutboxEntry(_ id: OutboxEntry.ID) throws -> Bool {
    try integer(
      #"SELECT EXISTS (SELECT 1 FROM "Outbox entries 1" WHERE id = ?1)"#, [.text(id.uuidString)])
      == 1
  }

  /// Returns whether there is an entry of a key.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func hasOutboxEntry(of key: OutboxKey) throws -> Bool {
    try integer(
      #"SELECT EXISTS (SELECT 1 FROM "Outbox entries 1" WHERE key = ?1)"#, [.text(key.rawValue)])
      == 1
  }

  /// Inserts the row of an entry.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func insertInOutbox(_ prepared: PreparedWrite, _ blockers: Int64, at date: Date) throws {
    let key = StoredValue.text(prepared.write.key.rawValue)
    try execute(
      """
      INSERT INTO "Outbox entries 1" (
        id, key, state, blockers, isPaused, attempts, hasBegun, mayRepeat, added, due)
      VALUES (?1, ?2, 0, ?3, EXISTS (
        SELECT 1 FROM "Outbox pauses 1" WHERE isWhole = 0 AND key = ?2), 0, 0, ?4, ?5, ?5)
      """,
      [
        .text(prepared.id.uuidString), key, .integer(blockers),
        .integer(prepared.mayRepeat ? 1 : 0), date.outboxValue,
      ])
  }

  /// Stores the request, the body, and the placeholders.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, or `outbox` for a placeholder that another entry
  ///   gives.
  private func insertDetails(
    _ prepared: PreparedWrite, _ used: Set<OutboxPlaceholder>, _ number: Int64
  ) throws {
    try insertRequest(prepared.request, prepared.write.payload, number)
    try insertUses(used, by: number)
    for (placeholder, source) in prepared.write.placeholders {
      try declare(placeholder, from: source, by: number)
    }
  }

  /// Stores the request and the body of an entry, in place of those that it has.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func insertRequest(_ request: StoredRequest, _ payload: Data?, _ number: Int64) throws {
    let encoder = JSONEncoder()
    let options =
      request.options.options == Request.Options() ? nil : try? encoder.encode(request.options)
    let headers =
      request.headers.isEmpty
      ? nil : try? encoder.encode(request.headers.map { [$0.name.rawValue, $0.value] })
    let text = { (data: Data?) in
      data.map { StoredValue.text(String(decoding: $0, as: UTF8.self)) } ?? .null
    }
    try execute(
      """
      INSERT OR REPLACE INTO "Outbox requests 1" (
        entry, method, target, isPath, headers, mediaType, options, payload)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """,
      [
        .integer(number), .text(request.method.rawValue), .text(request.target),
        .integer(request.isPath ? 1 : 0), text(headers),
        request.mediaType.map { .text($0.rawValue) } ?? .null, text(options),
        payload.map(StoredValue.blob) ?? .null,
      ])
    for (position, piece) in request.pieces.enumerated() {
      var values: [StoredValue] = [.integer(number), .integer(Int64(position))]
      switch piece {
      case .data(let data):
        values += [.blob(data), .null, .integer(0), .integer(Int64(data.count))]
      case .owned(let name, let length):
        values += [.null, .text(name), .integer(1), .integer(Int64(length))]
      case .referenced(let url, let length):
        values += [.null, .text(url.absoluteString), .integer(0), .integer(Int64(length))]
      }
      try execute(#"INSERT INTO "Outbox bodies 1" VALUES (?1, ?2, ?3, ?4, ?5, ?6)"#, values)
    }
  }
}

// Placeholders.
extension ModelConnection {
  /// Returns how many of the placeholders have no value yet.
  ///
  /// - Parameter number: Only entries before that may give a value: an entry that waits for a later one, or for itself,
  ///   would wait for ever.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, or `outbox` for a placeholder that no such entry
  ///   gives.
  private func countUnresolved(
    _ used: Set<OutboxPlaceholder>, before number: Int64 = .max
  ) throws -> Int64 {
    try used.reduce(0) { count, placeholder in
      let known = try outboxRows(
        #"SELECT value IS NULL FROM "Outbox placeholders 1" WHERE id = ?1 AND entry < ?2"#,
        [.text(placeholder.id.uuidString), .integer(number)]
      ) { $0.integer(at: 0) }
      guard let isUnresolved = known.first else {
        throw LoadError(
          .outbox, "no earlier entry gives the placeholder \(placeholder.id)",
          advice: "Add the entry whose answer has the value first, and declare it in placeholders")
      }
      return count + isUnresolved
    }
  }

  /// Stores that an entry gives a placeholder, and where its value stands in the answer.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, or `outbox` for a placeholder that another entry
  ///   gives.
  private func declare(
    _ placeholder: OutboxPlaceholder, from source: OutboxValueSource, by number: Int64
  ) throws {
    let count = try execute(
      """
      INSERT INTO "Outbox placeholders 1" (id, entry, source) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET source = ?3 WHERE entry = ?2
      """,
      [.text(placeholder.id.uuidString), .integer(number), .text(source.text)])
    guard count == 0 else { return }
    throw LoadError(
      .outbox, "another entry gives the placeholder \(placeholder.id)",
      advice: "Use a placeholder for one value only")
  }
}

extension ModelConnection {
  /// Stores which placeholders an entry contains, in place of those that it contained.
  ///
  /// - Returns: By how many more placeholders than before the entry is blocked; negative for fewer.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, or `outbox` for a placeholder that nothing gives.
  func exchangeUses(of number: Int64, by used: Set<OutboxPlaceholder>) throws -> Int64 {
    let before = try integer(
      """
      SELECT count(*) FROM "Outbox uses 1" u JOIN "Outbox placeholders 1" p ON p.id = u.placeholder
      WHERE u.entry = ?1 AND p.value IS NULL
      """, [.integer(number)])
    let after = try countUnresolved(used, before: number)
    try execute(#"DELETE FROM "Outbox uses 1" WHERE entry = ?1"#, [.integer(number)])
    try insertUses(used, by: number)
    return after - before
  }

  /// Inserts the placeholders that an entry contains.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func insertUses(_ used: Set<OutboxPlaceholder>, by number: Int64) throws {
    for placeholder in used {
      try execute(
        #"INSERT INTO "Outbox uses 1" VALUES (?1, ?2)"#,
        [.text(placeholder.id.uuidString), .integer(number)])
    }
  }
}

// Compaction.
extension ModelConnection {
  /// Replaces the last entry of a key by a new one, if it has the same method and target and hasn't begun. The new one
  /// gets its number, and with it its place among others.
  ///
  /// - Returns: Whether there was such an entry.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, or `outbox` for a placeholder that no entry
  ///   gives, or that another one gives already.
  private func replaceInOutbox(
    _ prepared: PreparedWrite, _ used: Set<OutboxPlaceholder>, at date: Date,
    _ addition: inout OutboxAddition
  ) throws -> Bool {
    let write = prepared.write
    // What it waits for may have been added after that entry.
    guard try write.after.isEmpty && countUnresolved(used) == 0,
      let last = try outboxEntries(
        "WHERE e.key = ?1 ORDER BY e.number DESC LIMIT 1", [.text(write.key.rawValue)]
      ).first,
      try isUnbegun(last), last.method == prepared.request.method,
      last.target == prepared.request.target
    else { return false }
    addition.removals.replaced.append(last)
    addition.removals.files += try removeBody(of: last.number)
    let blockers = try exchangeUses(of: last.number, by: used)
    try execute(
      """
      UPDATE "Outbox entries 1" SET id = ?1, added = ?2, due = ?2, attempts = 0, mayRepeat = ?3,
        blockers = blockers + ?4 WHERE number = ?5
      """,
      [
        .text(prepared.id.uuidString), date.outboxValue, .integer(prepared.mayRepeat ? 1 : 0),
        .integer(blockers), .integer(last.number),
      ])
    try insertDetails(prepared, [], last.number)
    return true
  }

  /// Removes the last entries of a key as far as they haven't begun.
  ///
  /// - Returns: Whether the new entry needn't be sent either.
  /// - Throws: ``OutboxHookError``, `CancellationError`, or a `LoadError` of kind `store`.
  private func cancelInOutbox(
    before prepared: PreparedWrite, at date: Date, _ removal: OutboxRemovalHook?,
    _ addition: inout OutboxAddition
  ) throws -> Bool {
    let key = prepared.write.key
    let tail = try unbegunTail(of: key)
    for entry in tail.reversed() {
      try removeFromOutbox(entry, .dropped, at: date, removal, &addition.removals)
    }
    guard try tail.first?.method == .post && !hasOutboxEntry(of: key) else { return false }
    addition.isStored = false
    return true
  }

  /// Returns whether an entry waits for its first attempt.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func isUnbegun(_ entry: OutboxEntry) throws -> Bool {
    try integer(
      #"SELECT hasBegun = 0 AND state = 0 FROM "Outbox entries 1" WHERE number = ?1"#,
      [.integer(entry.number)]) == 1
  }

  /// Returns the last entries of a key in order, after the last one that has begun or is parked.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func unbegunTail(of key: OutboxKey) throws -> [OutboxEntry] {
    try outboxEntries(
      """
      WHERE e.key = ?1 AND e.number > coalesce((
        SELECT max(number) FROM "Outbox entries 1" WHERE key = ?1 AND (hasBegun = 1 OR state > 0)), 0)
      ORDER BY e.number
      """, [.text(key.rawValue)])
  }
}

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
    _ removals: inout OutboxRemovals
  ) throws {
    changedTables.insert(Self.outboxTable)
    if let hook { try call(hook, entry, outcome) }
    let number = StoredValue.integer(entry.number)
    let key = StoredValue.text(entry.key.rawValue)
    try resolvePlaceholders(of: entry, outcome, at: date, &removals)
    if case .answered = outcome {} else { try parkDependents(of: entry, &removals) }
    removals.files += try removeBody(of: entry.number)
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
    removals.entries.append((entry, outcome))
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
    let files = try outboxRows(
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
    _ removals: inout OutboxRemovals
  ) throws {
    let declared = try outboxRows(
      #"SELECT id, source FROM "Outbox placeholders 1" WHERE entry = ?1"#, [.integer(entry.number)]
    ) { (id: $0.text(at: 0), source: OutboxValueSource(text: $0.text(at: 1))) }
    for (id, source) in declared {
      if case .answered(let response) = outcome, let value = source.value(in: response) {
        try execute(
          #"UPDATE "Outbox placeholders 1" SET value = ?2, entry = 0, given = ?3 WHERE id = ?1"#,
          [.text(id), .blob(value), date.outboxValue])
      } else {
        let reason = "the value that it needs was never given: \(entry.method) \(entry.target)"
        try park(
          #"WHERE e.number IN (SELECT entry FROM "Outbox uses 1" WHERE placeholder = ?1)"#,
          [.text(id)], because: reason, &removals)
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
    of entry: OutboxEntry, _ removals: inout OutboxRemovals
  ) throws {
    try park(
      #"WHERE e.number IN (SELECT entry FROM "Outbox dependencies 1" WHERE key = ?1 AND entry > ?2)"#,
      [.text(entry.key.rawValue), .integer(entry.number)],
      because: "what it comes after was given up or dropped: \(entry.method) \(entry.target)",
      &removals)
  }

  /// Parks the waiting entries that match a condition.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func park(
    _ condition: String, _ values: [StoredValue], because reason: String,
    _ removals: inout OutboxRemovals
  ) throws {
    let error = LoadError(
      .outbox, reason, advice: "Correct the entry, retry it as it is, or drop it")
    for var entry in try outboxEntries(condition + " AND e.state = 0", values) {
      try park(entry.number, .parked, error)
      (entry.state, entry.error) = (.parked, error)
      removals.parked.append(entry)
    }
  }

  /// Stores that an entry is parked or uncertain, and why.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func park(_ number: Int64, _ state: OutboxEntry.State, _ error: LoadError) throws {
    changedTables.insert(Self.outboxTable)
    try execute(
      #"UPDATE "Outbox entries 1" SET state = ?2, session = \#(ModelConnection.noSession) WHERE number = ?1"#,
      [.integer(number), .integer(Int64(state.rawValue))])
    try execute(
      #"UPDATE "Outbox requests 1" SET error = ?2 WHERE entry = ?1"#,
      [.integer(number), .blob(error.stored)])
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
      """, [date.outboxValue])
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
