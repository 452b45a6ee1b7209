internal import Foundation
import ResourceJSON
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore

/// An entry that this process has begun.
struct OutboxLease: Sendable {
  /// The entry; whether it ``OutboxEntry/hasBegun`` is that before this attempt.
  var entry: OutboxEntry
  /// The request; an error if its row is damaged.
  var request: Result<StoredRequest, LoadError>
  /// What earlier attempts have uploaded; `nil` for nothing that can be resumed.
  var upload: UploadRecord?

  /// Whether it may be sent again after what is stored: an upload is sent only after that.
  var isSafe: Bool { upload?.isSafe ?? ((try? request.get())?.upload != nil) }
}

/// The work that one look at the tables has found.
struct OutboxWork: Sendable {
  var leases: [OutboxLease] = []
  /// The uncertain entries to ask about.
  var questions: [OutboxEntry] = []
  /// The time at which the next entry is due; `nil` if there is none.
  var next: Date?
}

extension OutboxTables {
  /// Begins the entries that can be sent now, and the questions about uncertain ones.
  func beginWork(_ session: String, limit: Int, asks: Bool) throws -> OutboxWork {
    var work = OutboxWork()
    guard try !connection.hasRow(in: #""Outbox pauses 1" WHERE isWhole = 1"#) else { return work }
    for number in try readyEntries(limit: limit) {
      let lease = try lease(number)
      let count = try update(
        """
        state = \(Self.sending), session = ?2, hasBegun = 1, attempts = attempts + 1
        WHERE number = ?1 AND state = \(Self.waiting)
        """, [.integer(number), .text(session)])
      // A damaged index may lead to one that is being sent.
      if count == 1 { work.leases.append(lease) }
    }
    if asks { work.questions = try beginQuestions(session, limit: limit) }
    work.next = try nextDate(asks)
    return work
  }

  /// Returns the numbers of the first entries that can be sent.
  func readyEntries(limit: Int) throws -> [Int64] {
    try connection.rows(
      """
      SELECT e.number FROM "Outbox entries 1" e LEFT JOIN "Outbox kinds 1" k ON k.entry = e.number
      WHERE e.state = \(Self.waiting) AND e.blockers = 0 AND e.isPaused = 0 AND e.due <= ?2
        AND \(Self.isHandled) ORDER BY e.due, e.number LIMIT ?3
      """, [handledKinds, StoredValue(date), .integer(Int64(limit))]
    ) { $0.integer(at: 0) }
  }

  /// The condition that an entry doesn't wait for a handler of its kind. The first parameter is
  /// ``handledKinds``.
  private static let isHandled =
    "(k.needsHandler IS NOT 1 OR k.kind IN (SELECT value FROM json_each(?1)))"

  /// The kinds of which this process has handlers, as a JSON array.
  private var handledKinds: StoredValue {
    get throws {
      .text(String(decoding: try JSONWriter().encode(storage.handlers.kinds), as: UTF8.self))
    }
  }

  func lease(_ number: Int64) throws -> OutboxLease {
    guard var entry = try entries("WHERE e.number = ?1", [.integer(number)]).first,
      !entry.isDamaged
    else { throw LoadError.damagedEntry }
    (entry.state, entry.attempts) = (.sending, entry.attempts + 1)
    return try lease(of: entry)
  }

  /// Reads what is sent for an entry.
  private func lease(of entry: OutboxEntry) throws -> OutboxLease {
    let request = try request(of: entry)
    switch try upload(of: entry) {
    case .success(let upload): return OutboxLease(entry: entry, request: request, upload: upload)
    case .failure(let error): return OutboxLease(entry: entry, request: .failure(error))
    }
  }

  /// Begins to ask about the uncertain entries that are due.
  private func beginQuestions(_ session: String, limit: Int) throws -> [OutboxEntry] {
    let entries = try entries(
      """
      WHERE e.state > \(Self.waiting) AND e.state = \(Self.uncertain) AND e.session = \(Self.noSession) AND e.isPaused = 0
        AND e.due <= ?2 AND \(Self.isHandled) ORDER BY e.due, e.number LIMIT ?3
      """, [handledKinds, StoredValue(date), .integer(Int64(limit))])
    for entry in entries {
      try update("session = ?2 WHERE number = ?1", [.integer(entry.number), .text(session)])
    }
    return entries
  }

  /// Returns when the next entry is due that can be sent or asked about; `nil` if there is none.
  private func nextDate(_ asks: Bool) throws -> Date? {
    let waiting = "e.state = \(Self.waiting) AND e.blockers = 0"
    let uncertain =
      "e.state > \(Self.waiting) AND e.state = \(Self.uncertain) AND e.session = \(Self.noSession)"
    return try (asks ? [waiting, uncertain] : [waiting]).compactMap { condition in
      try connection.rows(
        """
        SELECT e.due FROM "Outbox entries 1" e LEFT JOIN "Outbox kinds 1" k ON k.entry = e.number
        WHERE \(condition) AND e.isPaused = 0 AND \(Self.isHandled) ORDER BY e.due LIMIT 1
        """, [handledKinds]
      ) { Date(timeIntervalSinceReferenceDate: $0.real(at: 0)) }.first
    }.min()
  }

  /// Sets the entries due immediately that would be due only after a limit.
  func hasten(dueAfter limit: Date) throws {
    try update(
      "due = ?1 WHERE state = \(Self.waiting) AND blockers = 0 AND isPaused = 0 AND due > ?2",
      [StoredValue(date), StoredValue(limit)])
  }
}

extension OutboxTables {
  /// Stores the step after an attempt or a question, if the entry still belongs to a session.
  func record(_ step: OutboxRule.Step, of entry: OutboxEntry, by session: String) throws {
    guard try isLeased(entry, by: session) else { return }
    switch step {
    case .answered(let response): try remove(entry, .answered(response))
    case .park(let error): try park(entry, error)
    case .uncertain(let error): try park(entry, as: .uncertain, error)
    case .wait(let wait, let error):
      var entry = entry
      (entry.state, entry.due) = (.waiting, date.addingTimeInterval(wait.seconds))
      let hasBegun = entry.hasBegun || error?.isUnsent != true
      try change(
        entry.number, "state = \(Self.waiting), due = ?2, hasBegun = ?3", StoredValue(entry.due),
        .bool(hasBegun))
      guard let error else { return }
      entry.error = error
      try store(error, of: entry)
      changes.events.append(.waiting(entry, error))
    }
  }

  /// Returns whether the attempt or question that was begun for an entry still belongs to a
  /// session.
  func isLeased(_ entry: OutboxEntry, by session: String) throws -> Bool {
    try hasEntry(
      where: "number = ?1 AND id = ?2 AND session = ?3 AND state = ?4 AND attempts = ?5",
      .integer(entry.number), .text(entry.id.uuidString), .text(session),
      .integer(Int64(entry.state.rawValue)), .integer(Int64(entry.attempts)))
  }
}

// Sessions: a process that sends writes the name of its session to the entries that it has begun.
extension OutboxTables {
  /// Returns the other sessions to which entries belong.
  func sessions(except session: String) throws -> [String] {
    try connection.rows(
      """
      SELECT DISTINCT session FROM "Outbox entries 1"
      WHERE state > \(Self.waiting) AND state IN (\(Self.sending), \(Self.uncertain)) AND session > \(Self.noSession) AND session <> ?1
      """, [.text(session)]
    ) { $0.text(at: 0) }
  }

  /// Releases the entries of a session that has ended. Those that it was sending are sent again, or
  /// are uncertain if they mustn't be sent twice and are no uploads that can be resumed.
  func endSession(_ session: String) throws {
    let error = LoadError(
      .outbox, "the process ended while the write was under way",
      advice: "Find out whether the server has it; then retry or drop it")
    let begun = try entries(
      """
      WHERE e.state > \(Self.waiting) AND e.state = \(Self.sending) AND e.session = ?1 AND e.mayRepeat = 0
        AND NOT EXISTS (SELECT 1 FROM "Outbox uploads 1" u WHERE u.entry = e.number AND u.isSafe = 1)
      """,
      [.text(session)])
    for entry in begun {
      // Nothing of an upload is sent before there is a row of it.
      guard try !lease(of: entry).isSafe else { continue }
      try park(entry, as: .uncertain, error)
    }
    try update(
      """
      state = CASE state WHEN \(Self.sending) THEN \(Self.waiting) ELSE state END, session = \(Self.noSession)
      WHERE state > \(Self.waiting) AND state IN (\(Self.sending), \(Self.uncertain)) AND session = ?1
      """, [.text(session)])
  }

  func isFileUsed(_ name: String) throws -> Bool {
    try connection.hasRow(
      in: #""Outbox bodies 1" WHERE isOwned = 1 AND file = ?1"#, [.text(name)])
  }
}
