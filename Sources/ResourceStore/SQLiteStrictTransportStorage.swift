public import Foundation
public import ResourceLoading
internal import Synchronization

/// Keeps the hosts that a `StrictTransportSecurity` has learned in a SQLite database, between runs
/// of the program. Several programs may use it at once: each writes what it has learned, and
/// removes what it has read or written itself.
///
/// ```swift
/// let hosts = SQLiteStrictTransportStorage(file: file)
/// let strict = StrictTransportSecurity(storage: hosts)
/// let client = Client(baseURL: url) { $0.strictTransportSecurity = strict }
/// ```
///
/// An error of the database fails no load: hosts are learned in memory then. The file contains the
/// names of the hosts, which show where the user has been, in plain text. Only its user can read
/// it.
///
/// The storage doesn't touch the schema version of the database: the version of its table is part
/// of the table's name.
public final class SQLiteStrictTransportStorage: StrictTransportStorage {
  private let connections: ConnectionPool
  private let isOwn: Bool
  private let list: String
  /// The entries in the database when it was last read or written here; `nil` before.
  private let known = Mutex<[String: StrictTransportSecurity.Entry]?>(nil)

  /// Creates a storage in a file of its own, which is opened when it is first used.
  ///
  /// - Parameters:
  ///   - file: A file URL in an existing folder. While the file is in use, there are two more
  ///     beside it, with `-wal` and `-shm` appended to the name.
  ///   - list: The name of the list of hosts. A file may contain several independent lists, such as
  ///     one for each user.
  public init(file: URL, list: String = "") {
    connections = ConnectionPool(limit: 1) { try ModelConnection(.file(file), SQLiteSettings()) }
    (isOwn, self.list) = (true, list)
  }

  /// Creates a storage in the database of a store.
  ///
  /// - Parameters:
  ///   - store: The store, which can also contain models.
  ///   - list: The name of the list of hosts. A database may contain several independent lists,
  ///     such as one for each user.
  public init(in store: SQLiteStore, list: String = "") {
    connections = store.writer
    (isOwn, self.list) = (false, list)
  }

  /// Reads the hosts that haven't expired.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func read() async throws -> [StrictTransportSecurity.Entry] {
    let entries = try await use { try $0.strictHosts(of: $1, at: Date()) }
    known.withLock { $0 = entries.byHost }
    return entries
  }

  /// Writes the hosts, and removes those that this storage has read or written before and that
  /// aren't among them. Other hosts, which another program has written in the meantime, stay.
  ///
  /// - Parameter entries: All hosts; an empty list removes the whole list from the database.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`; nothing is
  ///   written then.
  public func write(_ entries: [StrictTransportSecurity.Entry]) async throws {
    let known = entries.isEmpty ? nil : known.withLock(\.self)
    let changed = entries.filter { known?[$0.host] != $0 }
    let hosts = Set(entries.map(\.host))
    let removed = entries.isEmpty ? nil : (known ?? [:]).keys.filter { !hosts.contains($0) }
    try await use { try $0.writeStrictHosts(changed, removed, of: $1, at: Date()) }
    self.known.withLock { $0 = entries.byHost }
  }

  /// Closes a file of its own; later operations throw a `LoadError` of kind `closed`. A store stays
  /// open.
  public func close() async {
    if isOwn { await connections.close() }
  }

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
  fileprivate func createStrictHosts() throws {
    try execute(
      """
      CREATE TABLE IF NOT EXISTS "StrictTransport hosts 1" (
        list TEXT NOT NULL, host TEXT NOT NULL, includesSubdomains INTEGER NOT NULL,
        expiration REAL NOT NULL, PRIMARY KEY (list, host)) WITHOUT ROWID
      """)
  }

  fileprivate func strictHosts(
    of list: String, at date: Date
  ) throws -> [StrictTransportSecurity.Entry] {
    try rows(
      """
      SELECT host, includesSubdomains, expiration FROM "StrictTransport hosts 1"
      WHERE list = ?1 AND expiration > ?2
      """, [.text(list), StoredValue(date)]
    ) { row in
      let seconds = row.real(at: 2)
      return StrictTransportSecurity.Entry(
        host: row.text(at: 0), includesSubdomains: row.integer(at: 1) == 1,
        expiration: seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil)
    }
  }

  /// Writes the changed entries and removes others. Also removes expired entries, and those that
  /// expire first if there are too many. `removed` are the hosts to remove first; `nil` removes the
  /// whole list.
  fileprivate func writeStrictHosts(
    _ changed: [StrictTransportSecurity.Entry], _ removed: [String]?, of list: String, at date: Date
  ) throws {
    let hosts = #""StrictTransport hosts 1""#
    if let removed {
      for host in removed {
        try execute(
          "DELETE FROM \(hosts) WHERE list = ?1 AND host = ?2", [.text(list), .text(host)])
      }
    } else {
      try execute("DELETE FROM \(hosts) WHERE list = ?1", [.text(list)])
    }
    for entry in changed {
      try execute(
        "INSERT OR REPLACE INTO \(hosts) VALUES (?1, ?2, ?3, ?4)",
        [
          .text(list), .text(entry.host), .bool(entry.includesSubdomains),
          entry.expiration.map { StoredValue($0) } ?? .real(.infinity),
        ])
    }
    try execute("DELETE FROM \(hosts) WHERE expiration <= ?1", [StoredValue(date)])
    try execute(
      """
      DELETE FROM \(hosts) WHERE list = ?1 AND host IN (
        SELECT host FROM \(hosts) WHERE list = ?1 ORDER BY expiration DESC LIMIT -1 OFFSET ?2)
      """, [.text(list), .integer(Int64(StrictTransportSecurity.maximumCount))])
  }
}
