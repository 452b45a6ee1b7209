@testable import ResourceStore

#if canImport(SQLite3)
  import SQLite3
#else
  import CResourceSQLite
#endif

/// SQLite's own records of a connection's statements (<https://sqlite.org/c3ref/next_stmt.html>).
struct Statements: Equatable {
  var count = 0
  var busyCount = 0

  init(_ connection: Connection) {
    var statement = sqlite3_next_stmt(connection.handle, nil)
    while let found = statement {
      count += 1
      if sqlite3_stmt_busy(found) != 0 { busyCount += 1 }
      statement = sqlite3_next_stmt(connection.handle, found)
    }
  }
}
