internal import Foundation
internal import ResourceLoading
import ResourceStore

extension OutboxTables {
  func entries(
    of key: OutboxKey?, in states: Set<OutboxEntry.State>?, _ limit: Int?
  ) throws -> [OutboxEntry] {
    var condition = "WHERE e.state IN (\(states.list))"
    var values: [StoredValue] = [.integer(Int64(limit ?? -1))]
    if let key {
      condition += " AND e.key = ?2"
      values.append(.text(key.rawValue))
    }
    return try entries("\(condition) ORDER BY e.number LIMIT ?1", values)
  }

  /// Returns the number of entries in some states; in all for `nil`.
  func count(in states: Set<OutboxEntry.State>?) throws -> Int {
    Int(
      try connection.integer(
        #"SELECT count(*) FROM "Outbox entries 1" WHERE state IN (\#(states.list))"#))
  }

  /// Sets an entry due immediately, whatever it waits for.
  func retry(_ entry: OutboxEntry) throws {
    try setDecided("?2", [.integer(entry.number)])
    try change(entry.number, "state = \(Self.waiting), due = ?2", StoredValue(date))
  }

  func retryParked() throws {
    try setDecided(
      """
      SELECT number FROM "Outbox entries 1"
      WHERE state > \(Self.waiting) AND state = \(Self.parked)
      """)
    try update(
      """
      state = \(Self.waiting), due = ?1 WHERE state > \(Self.waiting) AND state = \(Self.parked)
      """, [StoredValue(date)])
  }

  /// Notes that somebody has decided to send entries, which are so old only from then on.
  func setDecided(_ numbers: String, _ values: [StoredValue] = []) throws {
    try connection.execute(
      #"UPDATE "Outbox kinds 1" SET decided = ?1 WHERE entry IN (\#(numbers))"#,
      [StoredValue(date)] + values)
  }
}

extension Set<OutboxEntry.State>? {
  /// The numbers of the states, as a list in SQL; those of all states without a set.
  fileprivate var list: String {
    (self ?? Set(OutboxEntry.State.allCases)).map { "\($0.rawValue)" }.sorted()
      .joined(separator: ", ")
  }
}
