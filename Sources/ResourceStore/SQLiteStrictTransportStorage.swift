public import Foundation
public import ResourceLoading
internal import Synchronization

/// Keeps the hosts that a `StrictTransportSecurity` has learned in a SQLite database, from one start of the program to
/// the next. Several programs may use it at once: each writes what it has learned, and removes what it has read or
/// written itself.
///
/// ```swift
/// let hosts = SQLiteStrictTransportStorage(file: file)
/// let strict = StrictTransportSecurity(storage: hosts)
/// let client = Client(baseURL: url) { $0.strictTransportSecurity = strict }
/// ```
///
/// What can't be read or written fails no load: hosts are learned in memory then. The names of the hosts, which tell
/// where somebody has been, stand in the file in plain text; the file is the user's alone.
///
/// It needs no version of the program's schema: the form of its table is part of its name.
public final class SQLiteStrictTransportStorage: StrictTransportStorage {
  private let connections: ConnectionPool<ModelConnection>
  private let isOwn: Bool
  private let list: String
  /// What is in the database as far as this storage knows; `nil` before it was read or written.
  private let known = Mutex<[String: StrictTransportSecurity.Entry]?>(nil)

  /// Makes a storage in a file of its own, which is opened when it is first used.
  ///
  /// - Parameters:
  ///   - file: A file URL in a folder that exists. Two more files lie beside it while it is in use, with `-wal` and
  ///     `-shm` behind the name.
  ///   - list: Which of several lists in the file this is, such as one for each user. None sees another.
  public init(file: URL, list: String = "") {
    connections = ConnectionPool(limit: 1) { try ModelConnection(.file(file), SQLiteSettings()) }
    (isOwn, self.list) = (true, list)
  }

  /// Makes a storage in the database of a store.
  ///
  /// - Parameters:
  ///   - store: What keeps models as well.
  ///   - list: Which of several lists in the database this is, such as one for each user. None sees another.
  public init(in store: SQLiteStore, list: String = "") {
    connections = store.writer
    (isOwn, self.list) = (false, list)
  }

  /// Reads the hosts that are strict still.
  ///
  /// - Throws: A `LoadError` of kind `store` where the database can't be read, and `CancellationError`.
  public func read() async throws -> [StrictTransportSecurity.Entry] {
    let entries = try await use { try $0.strictHosts(of: $1, at: Date()) }
    known.withLock { $0 = entries.byHost }
    return entries
  }

  /// Writes the hosts, and removes what was known here and isn't among them. Of what others have written meanwhile
  /// only that of the same hosts is replaced; without any hosts the whole list is removed.
  ///
  /// - Parameter entries: All hosts.
  /// - Throws: A `LoadError` of kind `store` where the database can't be written, and `CancellationError`; nothing is
  ///   written then.
  public func write(_ entries: [StrictTransportSecurity.Entry]) async throws {
    let known = entries.isEmpty ? nil : known.withLock(\.self)
    let changed = entries.filter { known?[$0.host] != $0 }
    let hosts = Set(entries.map(\.host))
    let removed = known.map { $0.keys.filter { !hosts.contains($0) } }
    try await use { try $0.writeStrictHosts(changed, removed, of: $1, at: Date()) }
    self.known.withLock { $0 = entries.byHost }
  }

  /// Closes a file of its own: whatever is asked of it from now on fails. A store stays open.
  public func close() async {
    if isOwn { await connections.close() }
  }

  /// - Throws: What the body throws, `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  private func use<R: Sendable>(
    _ body: @Sendable (Connection, String) throws -> R
  ) async throws -> R {
    let list = list
    return try await connections.run { connection in
      try connection.transaction {
        try connection.createStrictHosts()
        return try body(connection, list)
      }
    }
  }
}

extension [StrictTransportSecurity.Entry] {
  fileprivate var byHost: [String: Element] {
    Dictionary(map { ($0.host, $0) }) { $1 }
  }
}

extension Connection {
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  fileprivate func createStrictHosts() throws {
    try execute(
      """
      CREATE TABLE IF NOT EXISTS "StrictTransport hosts 1" (
        list TEXT NOT NULL, host TEXT NOT NULL, includesSubdomains INTEGER NOT NULL,
        expiration REAL NOT NULL, PRIMARY KEY (list, host)) WITHOUT ROWID
      """)
  }

  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  fileprivate func strictHosts(
    of list: String, at date: Date
  ) throws -> [StrictTransportSecurity.Entry] {
    let select = try statement(
      """
      SELECT host, includesSubdomains, expiration FROM "StrictTransport hosts 1"
      WHERE list = ?1 AND expiration > ?2
      """)
    defer { select.reset() }
    try select.bind(list, at: 1)
    try select.bind(date.timeIntervalSinceReferenceDate, at: 2)
    var entries: [StrictTransportSecurity.Entry] = []
    while try select.step() {
      let seconds = select.real(at: 2)
      entries.append(
        StrictTransportSecurity.Entry(
          host: select.text(at: 0), includesSubdomains: select.integer(at: 1) == 1,
          expiration: seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil))
    }
    return entries
  }

  /// Writes what has changed, and removes some, or all where nothing says which. Those that are strict no longer go,
  /// and of too many those that cease soonest.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  fileprivate func writeStrictHosts(
    _ changed: [StrictTransportSecurity.Entry], _ removed: [String]?, of list: String, at date: Date
  ) throws {
    if let removed {
      try run("DELETE FROM \"StrictTransport hosts 1\" WHERE list = ?1 AND host = ?2", for: removed)
      {
        try $0.bind(list, at: 1)
        try $0.bind($1, at: 2)
      }
    } else {
      try run("DELETE FROM \"StrictTransport hosts 1\" WHERE list = ?1", for: [list]) {
        try $0.bind($1, at: 1)
      }
    }
    try run(
      "INSERT OR REPLACE INTO \"StrictTransport hosts 1\" VALUES (?1, ?2, ?3, ?4)", for: changed
    ) {
      try $0.bind(list, at: 1)
      try $0.bind($1.host, at: 2)
      try $0.bind(Int64($1.includesSubdomains ? 1 : 0), at: 3)
      try $0.bind($1.expiration?.timeIntervalSinceReferenceDate ?? .infinity, at: 4)
    }
    try run("DELETE FROM \"StrictTransport hosts 1\" WHERE expiration <= ?1", for: [date]) {
      try $0.bind($1.timeIntervalSinceReferenceDate, at: 1)
    }
    let rest = Int64(StrictTransportSecurity.capacity)
    try run(
      """
      DELETE FROM "StrictTransport hosts 1" WHERE list = ?1 AND host IN (
        SELECT host FROM "StrictTransport hosts 1" WHERE list = ?1
        ORDER BY expiration DESC LIMIT -1 OFFSET ?2)
      """, for: [rest]
    ) {
      try $0.bind(list, at: 1)
      try $0.bind($1, at: 2)
    }
  }

  /// Runs a statement once for each value.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func run<Value>(
    _ text: String, for values: [Value], _ bind: (Statement, Value) throws -> Void
  ) throws {
    let statement = try statement(text)
    for value in values {
      defer { statement.reset() }
      try bind(statement, value)
      while try statement.step() {}
    }
  }
}
