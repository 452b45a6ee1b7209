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
    let values: [StoredValue] = [date.outboxValue, .integer(Int64(limit))]
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
    try outboxRows(
      """
      SELECT number FROM "Outbox entries 1"
      WHERE state = 0 AND blockers = 0 AND isPaused = 0 AND due <= ?1 ORDER BY due, number LIMIT ?2
      """, [date.outboxValue, .integer(Int64(limit))]
    ) { $0.integer(at: 0) }
  }

  /// Reads an entry as it is when it is begun.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for an entry whose rows don't belong together.
  func outboxLease(_ number: Int64) throws -> OutboxLease {
    let number = StoredValue.integer(number)
    let rows = try outboxRows(
      #"SELECT mayRepeat, hasBegun, id FROM "Outbox entries 1" WHERE number = ?1"#, [number]
    ) { ($0.integer(at: 0) == 1, $0.integer(at: 1) == 1, UUID(uuidString: $0.text(at: 2))) }
    guard let (mayRepeat, hasBegun, id) = rows.first, id != nil,
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
    let number = StoredValue.integer(number)
    changedTables.insert(Self.outboxTable)
    try execute(
      #"UPDATE "Outbox entries 1" SET state = 2, session = \#(ModelConnection.noSession) WHERE number = ?1"#,
      [number])
    return try outboxRows(#"SELECT id FROM "Outbox entries 1" WHERE number = ?1"#, [number]) {
      UUID(uuidString: $0.text(at: 0))
    }.first ?? nil
  }

  /// Begins to ask about the uncertain entries that are due.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func beginQuestions(_ session: String, _ values: [StoredValue]) throws -> [OutboxEntry] {
    let entries = try outboxEntries(
      """
      WHERE e.state > 0 AND e.state = 3 AND e.session = \(ModelConnection.noSession) AND e.isPaused = 0
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
      WHERE state > 0 AND state = 3 AND session = \(ModelConnection.noSession) AND isPaused = 0
      """ : ""
    return try outboxRows(
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
    get throws {
      try integer(#"SELECT EXISTS (SELECT 1 FROM "Outbox pauses 1" WHERE isWhole = 1)"#) == 1
    }
  }

  /// Reads a request, with the values of its placeholders.
  ///
  /// - Returns: The request; an error if its row isn't as this library writes it.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func storedRequest(of entry: OutboxEntry) throws -> Result<StoredRequest, LoadError> {
    let number = StoredValue.integer(entry.number)
    let rows = try outboxRows(
      #"SELECT isPath, headers, mediaType, options FROM "Outbox requests 1" WHERE entry = ?1"#,
      [number]
    ) { row -> StoredRequest? in
      guard let headers = Headers(stored: row.value(at: 1)),
        let options = StoredOptions(stored: row.value(at: 3))
      else { return nil }
      return StoredRequest(
        method: entry.method, target: entry.target, isPath: row.integer(at: 0) == 1,
        headers: headers,
        mediaType: row.value(at: 2).isNull ? nil : MediaType(rawValue: row.text(at: 2)),
        options: options)
    }
    let pieces = try outboxRows(
      """
      SELECT data, file, isOwned, length FROM "Outbox bodies 1" WHERE entry = ?1 ORDER BY position
      """, [number], StoredRequest.Piece.init)
    guard var request = rows.first ?? nil, pieces.allSatisfy({ $0 != nil }) else {
      return .failure(.damagedEntry)
    }
    request.pieces = pieces.compactMap(\.self)
    let values = try outboxRows(
      """
      SELECT p.id, p.value FROM "Outbox uses 1" u JOIN "Outbox placeholders 1" p ON p.id = u.placeholder
      WHERE u.entry = ?1 AND p.value IS NOT NULL
      """, [number]
    ) { (UUID(uuidString: $0.text(at: 0)), $0.blob(at: 1)) }
    request.resolve(
      values.reduce(into: [:]) { values, found in
        if let id = found.0 { values[OutboxPlaceholder(id)] = found.1 }
      })
    guard request.placeholders.isEmpty else {
      return .failure(
        LoadError(
          .outbox, "a value that it needs was never given", advice: "Correct the entry, or drop it")
      )
    }
    guard values.isEmpty || !request.hasDotSegment else {
      return .failure(
        LoadError(
          .invalidRequest, "a value that the server gave would lead to another path",
          advice: "Correct the entry, or drop it"))
    }
    return .success(request)
  }
}

extension Headers {
  fileprivate init?(stored value: ColumnValue) {
    self.init()
    guard !value.isNull else { return }
    guard let text = value.exactText,
      let fields = try? JSONDecoder().decode([[String]].self, from: Data(text.utf8)),
      fields.allSatisfy({ $0.count == 2 })
    else { return nil }
    for field in fields { append(Name(rawValue: field[0]), field[1]) }
  }
}

extension StoredOptions {
  fileprivate init?(stored value: ColumnValue) {
    guard !value.isNull else {
      self.init(Request.Options())
      return
    }
    guard let text = value.exactText,
      let options = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
    else { return nil }
    self = options
  }
}

extension StoredRequest.Piece {
  fileprivate init?(_ row: Statement) {
    let length = Int(row.integer(at: 3))
    guard row.value(at: 0).isNull else {
      let data = row.blob(at: 0)
      guard data.count == length else { return nil }
      self = .data(data)
      return
    }
    let file = row.text(at: 1)
    guard row.integer(at: 2) == 0 else {
      guard !file.contains("/") else { return nil }
      self = .owned(name: file, length: length)
      return
    }
    guard let url = URL(string: file), url.isFileURL else { return nil }
    self = .referenced(url, length: length)
  }
}

// What follows an attempt.
extension ModelConnection {
  /// Returns whether the attempt or question that was begun for an entry still belongs to a session.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func isOutboxLease(_ entry: OutboxEntry, of session: String) throws -> Bool {
    try integer(
      """
      SELECT EXISTS (
        SELECT 1 FROM "Outbox entries 1"
        WHERE number = ?1 AND id = ?2 AND session = ?3 AND state = ?4 AND attempts = ?5)
      """,
      [
        .integer(entry.number), .text(entry.id.uuidString), .text(session),
        .integer(Int64(entry.state.rawValue)), .integer(Int64(entry.attempts)),
      ]) == 1
  }

  /// Stores when an entry may be attempted again.
  ///
  /// - Parameter hasBegun: Whether an attempt may have reached the server.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func postponeInOutbox(
    _ entry: OutboxEntry, until date: Date, hasBegun: Bool, _ error: LoadError?
  ) throws {
    changedTables.insert(Self.outboxTable)
    try execute(
      """
      UPDATE "Outbox entries 1" SET state = 0, session = \(ModelConnection.noSession), due = ?2, hasBegun = ?3
      WHERE number = ?1
      """, [.integer(entry.number), date.outboxValue, .integer(hasBegun ? 1 : 0)])
    guard let error else { return }
    try execute(
      #"UPDATE "Outbox requests 1" SET error = ?2 WHERE entry = ?1"#,
      [.integer(entry.number), .blob(error.stored)])
  }

  /// Stores when to ask about an uncertain entry again.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func postponeQuestion(_ entry: OutboxEntry, until date: Date) throws {
    changedTables.insert(Self.outboxTable)
    try execute(
      #"UPDATE "Outbox entries 1" SET session = \#(ModelConnection.noSession), due = ?2 WHERE number = ?1"#,
      [.integer(entry.number), date.outboxValue])
  }

  /// Gives up entries that are too old.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func giveUpInOutbox(
    addedBefore oldest: Date, at date: Date, _ hook: OutboxRemovalHook?
  ) throws -> OutboxRemovals {
    var removals = OutboxRemovals()
    let entries = try outboxEntries(
      "WHERE e.session = \(ModelConnection.noSession) AND e.added < ?1 ORDER BY e.added LIMIT 100",
      [oldest.outboxValue])
    for entry in entries {
      var error = entry.error ?? LoadError(.outbox, "it was never sent")
      error.reason = "the write was given up, because it is older than maximumAge: \(error.reason)"
      do { try removeFromOutbox(entry, .givenUp(error), at: date, hook, &removals) } catch {
        guard let error = error as? OutboxHookError else { throw error }
        removals.failures.append(error.error)
        let failure = LoadError(hook: error.error)
        try removeFromOutbox(entry, .givenUp(failure), at: date, nil, &removals)
      }
    }
    return removals
  }

  /// Makes the entries due at once that would be due only after a limit.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func hastenOutbox(dueAfter limit: Date, at date: Date) throws {
    let count = try execute(
      """
      UPDATE "Outbox entries 1" SET due = ?1
      WHERE state = 0 AND blockers = 0 AND isPaused = 0 AND due > ?2
      """, [date.outboxValue, limit.outboxValue])
    if count > 0 { changedTables.insert(Self.outboxTable) }
  }
}

// Sessions.
extension ModelConnection {
  /// Returns the other sessions that have begun, and those that entries belong to.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func outboxSessions(except session: String) throws -> [String] {
    try outboxRows(
      """
      SELECT id FROM "Outbox sessions 1" WHERE id <> ?1
      UNION SELECT session FROM "Outbox entries 1"
      WHERE state > 0 AND state IN (1, 3) AND session > \(ModelConnection.noSession) AND session <> ?1
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
  func endOutboxSession(_ session: String, at date: Date) throws {
    changedTables.insert(Self.outboxTable)
    let uncertain = LoadError(
      .outbox, "the process ended while the write was under way",
      advice: "Find out whether the server has it; then retry or drop it")
    let entries = try outboxEntries(
      "WHERE e.state > 0 AND e.state = 1 AND e.session = ?1 AND e.mayRepeat = 0", [.text(session)])
    for entry in entries {
      try park(entry.number, .uncertain, uncertain)
      try postponeQuestion(entry, until: date)
    }
    try execute(
      """
      UPDATE "Outbox entries 1" SET state = CASE state WHEN 1 THEN 0 ELSE state END, session = \(ModelConnection.noSession)
      WHERE state > 0 AND state IN (1, 3) AND session = ?1
      """, [.text(session)])
    try execute(#"DELETE FROM "Outbox sessions 1" WHERE id = ?1"#, [.text(session)])
  }

  /// Returns whether an entry has a file in the folder.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func isOutboxFileUsed(_ name: String) throws -> Bool {
    try integer(
      #"SELECT EXISTS (SELECT 1 FROM "Outbox bodies 1" WHERE isOwned = 1 AND file = ?1)"#,
      [.text(name)]) == 1
  }
}
