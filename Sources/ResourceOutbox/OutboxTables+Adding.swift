internal import Foundation
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore

/// A write that is ready to be stored; its files are in the outbox's folder.
struct PreparedWrite: Sendable {
  let id: OutboxEntry.ID
  var write: OutboxWrite
  let request: StoredRequest
  let mayRepeat: Bool
  let uses: Set<OutboxPlaceholder>

  init(_ write: OutboxWrite, _ request: StoredRequest, mayRepeat: Bool, at date: Date) {
    id = UUID(at: date)
    uses = request.placeholders
    (self.write, self.request, self.mayRepeat) = (write, request, mayRepeat)
  }
}

extension OutboxTables {
  /// Stores an entry; returns `false` if it was cancelled together with earlier ones.
  func add(_ prepared: PreparedWrite) throws -> Bool {
    let write = prepared.write
    connection.changedTables.insert(Self.entries)
    switch write.compaction {
    case .none: break
    case .replacing:
      if let last = try replaceableEntry(prepared) {
        try replace(last, by: prepared, added: date)
        return true
      }
    case .cancelling: if try cancel(prepared) { return false }
    }
    let keys = try Set(write.after).filter { try $0 != write.key && hasEntry(of: $0) }
    let blockers =
      try (hasEntry(of: write.key) ? 1 : 0) + keys.count + countUnresolved(prepared.uses)
    let number = try insert(prepared, blockers)
    for key in keys {
      try connection.execute(
        #"INSERT INTO "Outbox dependencies 1" VALUES (?1, ?2)"#,
        [.text(key.rawValue), .integer(number)])
    }
    try insertDetails(prepared, number)
    return true
  }

  private func hasEntry(of key: OutboxKey) throws -> Bool {
    try hasEntry(where: "key = ?1", .text(key.rawValue))
  }

  /// Inserts the row of an entry, and returns its number.
  private func insert(_ prepared: PreparedWrite, _ blockers: Int) throws -> Int64 {
    try connection.execute(
      """
      INSERT INTO "Outbox entries 1" (
        id, key, state, blockers, isPaused, attempts, hasBegun, mayRepeat, added, due, isCreation)
      VALUES (?1, ?2, 0, ?3, EXISTS (
        SELECT 1 FROM "Outbox pauses 1" WHERE isWhole = 0 AND key = ?2), 0, 0, ?4, ?5, ?5, ?6)
      """,
      [
        .text(prepared.id.uuidString), .text(prepared.write.key.rawValue),
        .integer(Int64(blockers)), .bool(prepared.mayRepeat), StoredValue(date),
        .bool(prepared.write.isCreation),
      ])
    return try connection.integer("SELECT last_insert_rowid()")
  }

  /// Stores the request, the body, and the placeholders of an entry.
  private func insertDetails(_ prepared: PreparedWrite, _ number: Int64) throws {
    try insert(prepared.request, prepared.write.payload, number)
    if let kind = prepared.write.kind {
      try connection.execute(
        """
        INSERT INTO "Outbox kinds 1" (entry, kind, needsHandler) VALUES (?1, ?2, ?3)
        ON CONFLICT (entry) DO UPDATE SET (kind, needsHandler) = (?2, ?3)
        """, [.integer(number), .text(kind), .bool(prepared.write.needsHandler)])
    }
    for placeholder in prepared.uses {
      try connection.execute(
        #"INSERT INTO "Outbox uses 1" VALUES (?1, ?2)"#,
        [.text(placeholder.id.uuidString), .integer(number)])
    }
    for (placeholder, source) in prepared.write.placeholders {
      try declare(placeholder, from: source, by: number)
    }
  }
}

extension OutboxTables {
  /// Returns how many of the placeholders have no value yet. Only entries before `number` may
  /// provide one, because an entry that waits for a later one, or for itself, would wait forever.
  private func countUnresolved(
    _ used: Set<OutboxPlaceholder>, before number: Int64 = .max
  ) throws -> Int {
    try used.filter { placeholder in
      let isUnresolved = try connection.rows(
        #"SELECT value IS NULL FROM "Outbox placeholders 1" WHERE id = ?1 AND entry < ?2"#,
        [.text(placeholder.id.uuidString), .integer(number)]
      ) { $0.integer(at: 0) == 1 }.first
      guard let isUnresolved else {
        throw LoadError(
          .outbox, "no earlier entry gives the placeholder \(placeholder.id)",
          advice: "Add the entry whose answer has the value first, and declare it in placeholders")
      }
      return isUnresolved
    }.count
  }

  /// Stores that an entry provides a placeholder, and where its value is in the answer.
  private func declare(
    _ placeholder: OutboxPlaceholder, from source: OutboxValueSource, by number: Int64
  ) throws {
    let count = try connection.execute(
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

  /// Removes the values, provided before a date, of placeholders that no entry contains.
  func removePlaceholderValues(before date: Date) throws {
    try connection.execute(
      """
      DELETE FROM "Outbox placeholders 1" WHERE given < ?1
        AND NOT EXISTS (SELECT 1 FROM "Outbox uses 1" WHERE placeholder = id)
      """, [StoredValue(date)])
  }
}

extension OutboxTables {
  /// Gives an entry another request and another identity, and makes it due at once. It keeps its
  /// number, and so its place among others. Its age counts from `added`.
  func replace(_ entry: OutboxEntry, by prepared: PreparedWrite, added: Date) throws {
    changes.replaced.append(entry.id)
    if entry.state != .waiting { try setDecided("?2", [.integer(entry.number)]) }
    try cancelUpload(of: entry)
    try removeBody(of: entry.number)
    let before = try connection.integer(
      """
      SELECT count(*) FROM "Outbox uses 1" u JOIN "Outbox placeholders 1" p ON p.id = u.placeholder
      WHERE u.entry = ?1 AND p.value IS NULL
      """, [.integer(entry.number)])
    let after = try countUnresolved(prepared.uses, before: entry.number)
    try change(
      entry.number,
      """
      id = ?2, state = \(Self.waiting), attempts = 0, added = ?3, due = ?4, mayRepeat = ?5,
      blockers = blockers + ?6, isCreation = max(isCreation, ?7)
      """,
      .text(prepared.id.uuidString), StoredValue(added), StoredValue(date),
      .bool(prepared.mayRepeat), .integer(Int64(after) - before),
      .bool(prepared.write.isCreation))
    try connection.execute(
      #"DELETE FROM "Outbox uses 1" WHERE entry = ?1"#, [.integer(entry.number)])
    try insertDetails(prepared, entry.number)
  }

  /// Returns the last entry of a key if a new one can replace it: it has the same method and target
  /// and hasn't begun, and the new one waits for nothing that could have been added after it.
  private func replaceableEntry(_ prepared: PreparedWrite) throws -> OutboxEntry? {
    guard try prepared.write.after.isEmpty && countUnresolved(prepared.uses) == 0,
      let last = try entries(
        "WHERE e.key = ?1 ORDER BY e.number DESC LIMIT 1", [.text(prepared.write.key.rawValue)]
      ).first,
      last.method == prepared.request.method, last.target == prepared.request.target,
      !last.hasBegun, last.state == .waiting
    else { return nil }
    return last
  }

  /// Removes the last entries of a new one's key that haven't begun. Returns whether the new entry
  /// needn't be sent either, because the server can't have what it deletes.
  private func cancel(_ prepared: PreparedWrite) throws -> Bool {
    let key = prepared.write.key
    // After the last one that has begun or is parked.
    let tail = try entries(
      """
      WHERE e.key = ?1 AND e.number > coalesce((
        SELECT max(number) FROM "Outbox entries 1" WHERE key = ?1 AND (hasBegun = 1 OR state > \(Self.waiting))), 0)
      ORDER BY e.number
      """, [.text(key.rawValue)])
    let creates = try tail.contains { try isCreation($0, ofOneOf: prepared.uses) }
    for entry in tail.reversed() { try remove(entry, .dropped) }
    return try creates && !hasEntry(of: key)
  }

  /// Returns whether an entry creates what its key identifies: it was added as such, or provides a
  /// placeholder by which a later entry names it. The method isn't enough: a `POST` can change what
  /// the server has, and a `PUT` can create it.
  private func isCreation(
    _ entry: OutboxEntry, ofOneOf placeholders: Set<OutboxPlaceholder>
  ) throws -> Bool {
    let number = StoredValue.integer(entry.number)
    if try hasEntry(where: "number = ?1 AND isCreation = 1", number) { return true }
    return try placeholders.contains {
      try connection.hasRow(
        in: #""Outbox placeholders 1" WHERE id = ?1 AND entry = ?2 AND value IS NULL"#,
        [.text($0.id.uuidString), number])
    }
  }
}

extension UUID {
  /// Creates an identity that begins with the time in milliseconds (UUID version 7, RFC 9562):
  /// new ones are last in an index, so that adding touches the same few pages however many there
  /// are.
  init(at date: Date) {
    let time = min(max(0, date.timeIntervalSince1970 * 1000), 0xFFFF_FFFF_FFFF)
    let bytes = UInt64(time).bigEndianBytes
    var random = UUID().uuid
    (random.0, random.1, random.2) = (bytes[2], bytes[3], bytes[4])
    (random.3, random.4, random.5) = (bytes[5], bytes[6], bytes[7])
    random.6 = 0x70 | random.6 & 0x0F
    self.init(uuid: random)
  }
}
