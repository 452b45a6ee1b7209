internal import Foundation

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// The values of the row that a statement stands at.
extension Statement {
  /// How many columns the row has.
  var columnCount: Int32 { sqlite3_column_count(handle) }

  /// The names of the columns, which may have changed since the statement was prepared.
  var columnNames: [String] {
    (0..<columnCount).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
  }

  /// What is in a column of the row.
  @inline(__always)
  func cell(at column: Int32) -> Cell {
    Cell(handle: sqlite3_column_value(handle, column))
  }

  func integer(at column: Int32) -> Int64 { cell(at: column).integer }

  func real(at column: Int32) -> Double { cell(at: column).real }

  func text(at column: Int32) -> String { cell(at: column).text }

  func blob(at column: Int32) -> Data { cell(at: column).blob }
}
