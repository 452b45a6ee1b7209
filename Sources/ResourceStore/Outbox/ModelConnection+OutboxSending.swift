internal import Foundation
internal import ResourceLoading

/// An entry that this process has begun.
struct OutboxLease: Sendable {
  var entry: OutboxEntry
  /// The request; an error if its row is damaged.
  var request: Result<StoredRequest, LoadError>
  var mayRepeat: Bool
  /// Whether an earlier attempt may have reached the server.
  var hadBegun: Bool
}

/// The work that one look at the tables has found.
struct OutboxWork: Sendable {
  var leases: [OutboxLease] = []
  /// The uncertain entries to ask about.
  var questions: [OutboxEntry] = []
  /// The time at which the next entry is due; `nil` if there is none.
  var next: Date?
}

// All functions run in a transaction, and throw `CancellationError`, or a `LoadError` of kind `store`. SQLite uses an index
// of some rows only if its condition stands in the query: `state > 0` beside a state isn't superfluous.
extension ModelConnection {
  /// Begins the entries that can be sent now, and the questions about uncertain ones.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func beginOutboxWork(
    _ session: String, limit: Int, asks: Bool, at date: Date
  ) throws -> OutboxWork {
    var work = OutboxWork()
    guard limit > 0, try !isOutboxPaused else { return work }
    let values: [StoredValue] = [StoredValue(date), .integer(Int64(limit))]
    for number in try readyOutboxEntries(limit: limit, at: date) {
      let lease = try outboxLease(number)
      let count = try execute(
        """
        UPDATE "Outbox entries 1" SET state = 1, session = ?2, hasBegun = 1, attempts = attempts + 1
        WHERE number = ?1 AND state = 0
        """, [.integer(number), .text(session)])
      // A damaged index may lead to one that is being sent.
      if count == 1 { work.leases.append(lease) }
    }
    if asks { work.questions = try beginQuestions(session, values) }
    if !work.leases.isEmpty || !work.questions.isEmpty { changedTables.insert(Self.outboxTable) }
    work.next = try nextOutboxDate(asks)
    return work
  }

  /// Returns the numbers of the first entries that can be sent.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func readyOutboxEntries(limit: Int, at date: Date) throws -> [Int64] {
    try rows(
      """
      SELECT number FROM "Outbox entries 1"
      WHERE state = 0 AND blockers = 0 AND isPaused = 0 AND due <= ?1 ORDER BY due, number LIMIT ?2
      """, [StoredValue(date), .integer(Int64(limit))]
    ) { $0.integer(at: 0) }
  }

  /// Reads an entry as it is when it is begun.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for an entry whose rows don't belong together.
  func outboxLease(_ number: Int64) throws -> OutboxLease {
    let number = StoredValue.integer(number)
    let leases = try rows(
      #"SELECT mayRepeat, hasBegun, id FROM "Outbox entries 1" WHERE number = ?1"#, [number]
    ) { ($0.integer(at: 0) == 1, $0.integer(at: 1) == 1, UUID(uuidString: $0.text(at: 2))) }
    guard let (mayRepeat, hasBegun, id) = leases.first, id != nil,
      var entry = try outboxEntries("WHERE e.number = ?1", [number]).first,
      (0...Int(Int32.max)).contains(entry.attempts)
    else { throw LoadError.damagedEntry }
    let request = try storedRequest(of: entry)
    (entry.state, entry.attempts) = (.sending, entry.attempts + 1)
    return OutboxLease(entry: entry, request: request, mayRepeat: mayRepeat, hadBegun: hasBegun)
  }

  /// Parks an entry whose rows can't be read or changed, without its error: nothing else can be stored of it.
  ///
  /// - Returns: The identity of the entry; `nil` if that is damaged.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func parkDamaged(_ number: Int64) throws -> OutboxEntry.ID? {
    try changeInOutbox(number, "state = 2")
    return try rows(#"SELECT id FROM "Outbox entries 1" WHERE number = ?1"#, [.integer(number)]) {
      UUID(uuidString: $0.text(at: 0))
    }.first ?? nil
  }

  /// Begins to ask about the uncertain entries that are due.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func beginQuestions(_ session: String, _ values: [StoredValue]) throws -> [OutboxEntry] {
    let entries = try outboxEntries(
      """
      WHERE e.state > 0 AND e.state = 3 AND e.session = \(Self.noSession) AND e.isPaused = 0
        AND e.due <= ?1 ORDER BY e.due, e.number LIMIT ?2
      """, values)
    for entry in entries {
      try execute(
        #"UPDATE "Outbox entries 1" SET session = ?2 WHERE number = ?1"#,
        [.integer(entry.number), .text(session)])
    }
    return entries
  }

  /// Returns when the next entry is due that can be sent or asked about; `nil` if there is none.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func nextOutboxDate(_ asks: Bool) throws -> Date? {
    let uncertain =
      asks
      ? """
      UNION SELECT min(due) FROM "Outbox entries 1"
      WHERE state > 0 AND state = 3 AND session = \(Self.noSession) AND isPaused = 0
      """ : ""
    return try rows(
      """
      SELECT min(due) FROM "Outbox entries 1" WHERE state = 0 AND blockers = 0 AND isPaused = 0
      \(uncertain)
      """
    ) { $0.value(at: 0).isNull ? nil : $0.real(at: 0) }
    .compactMap(\.self).min().map(Date.init(timeIntervalSinceReferenceDate:))
  }

  /// Whether the whole outbox is paused.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  var isOutboxPaused: Bool {
    get throws { try hasRow(in: #""Outbox pauses 1" WHERE isWhole = 1"#) }
  }
}

// After an attempt.
extension ModelConnection {
  /// Returns whether the attempt or question that was begun for an entry still belongs to a session.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func isOutboxLease(_ entry: OutboxEntry, of session: String) throws -> Bool {
    try hasRow(
      in: """
        "Outbox entries 1"
        WHERE number = ?1 AND id = ?2 AND session = ?3 AND state = ?4 AND attempts = ?5
        """,
      [
        .integer(entry.number), .text(entry.id.uuidString), .text(session),
        .integer(Int64(entry.state.rawValue)), .integer(Int64(entry.attempts)),
      ])
  }

  /// Stores when an entry may be attempted again.
  ///
  /// - Parameter hasBegun: Whether an attempt may have reached the server.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func postponeInOutbox(
    _ entry: OutboxEntry, until date: Date, hasBegun: Bool, _ error: LoadError? = nil
  ) throws {
    try changeInOutbox(
      entry.number, "state = 0, due = ?2, hasBegun = ?3", [StoredValue(date), .bool(hasBegun)])
    if let error { try storeError(error, of: entry) }
  }

  /// Gives up entries that are too old.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func giveUpInOutbox(
    addedBefore oldest: Date, at date: Date, _ hook: OutboxRemovalHook?
  ) throws -> OutboxChanges {
    var changes = OutboxChanges()
    let entries = try outboxEntries(
      "WHERE e.session = \(Self.noSession) AND e.added < ?1 ORDER BY e.added LIMIT 100",
      [StoredValue(oldest)])
    for entry in entries {
      var error = entry.error ?? LoadError(.outbox, "it was never sent")
      error.reason = "the write was given up, because it is older than maximumAge: \(error.reason)"
      do {
        try removeFromOutbox(entry, .givenUp(error), at: date, hook, &changes)
      } catch let failure as OutboxHookError {
        changes.events.append(.failed(LoadError(hook: failure.error)))
        try removeFromOutbox(entry, .givenUp(error), at: date, nil, &changes)
      }
    }
    return changes
  }

  /// Makes the entries due at once that would be due only after a limit.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func hastenOutbox(dueAfter limit: Date, at date: Date) throws {
    let count = try execute(
      """
      UPDATE "Outbox entries 1" SET due = ?1
      WHERE state = 0 AND blockers = 0 AND isPaused = 0 AND due > ?2
      """, [StoredValue(date), StoredValue(limit)])
    if count > 0 { changedTables.insert(Self.outboxTable) }
  }
}

// Sessions.
extension ModelConnection {
  /// Returns the other sessions that have begun, and those that entries belong to.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func outboxSessions(except session: String) throws -> [String] {
    try rows(
      """
      SELECT id FROM "Outbox sessions 1" WHERE id <> ?1
      UNION SELECT session FROM "Outbox entries 1"
      WHERE state > 0 AND state IN (1, 3) AND session > \(Self.noSession) AND session <> ?1
      """, [.text(session)]
    ) { $0.text(at: 0) }
  }

  /// Inserts a session that begins.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func beginOutboxSession(_ session: String) throws {
    try execute(#"INSERT INTO "Outbox sessions 1" VALUES (?1)"#, [.text(session)])
  }

  /// Removes a session that has ended. Entries that it was sending are sent again, or are uncertain if they mustn't be
  /// sent twice.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func endOutboxSession(_ session: String, at date: Date) throws -> OutboxChanges {
    var changes = OutboxChanges()
    changedTables.insert(Self.outboxTable)
    let error = LoadError(
      .outbox, "the process ended while the write was under way",
      advice: "Find out whether the server has it; then retry or drop it")
    let entries = try outboxEntries(
      "WHERE e.state > 0 AND e.state = 1 AND e.session = ?1 AND e.mayRepeat = 0", [.text(session)])
    for entry in entries { try park(entry, as: .uncertain, error, at: date, &changes) }
    try execute(
      """
      UPDATE "Outbox entries 1" SET state = CASE state WHEN 1 THEN 0 ELSE state END,
        session = \(Self.noSession)
      WHERE state > 0 AND state IN (1, 3) AND session = ?1
      """, [.text(session)])
    try execute(#"DELETE FROM "Outbox sessions 1" WHERE id = ?1"#, [.text(session)])
    return changes
  }

  /// Returns whether an entry has a file in the folder.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func isOutboxFileUsed(_ name: String) throws -> Bool {
    try hasRow(in: #""Outbox bodies 1" WHERE isOwned = 1 AND file = ?1"#, [.text(name)])
  }
}
