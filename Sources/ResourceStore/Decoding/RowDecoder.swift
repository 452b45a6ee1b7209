#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// Reads models off the rows of a statement, straight from its columns.
///
/// One decoder serves all rows. Models ask for their keys in the order of the columns as a rule, so the next
/// key is looked for where it is expected.
final class RowDecoder {
  private let statement: Statement
  private let names: [String]
  private var expected = 0

  /// A decoder for a statement that stands at its first row.
  init(_ statement: Statement) {
    self.statement = statement
    names = statement.columnNames
  }

  /// The column of a key, or `nil` where there is none.
  @inline(__always)
  private func column(_ name: String) -> Int32? {
    if expected < names.count, names[expected] == name {
      expected += 1
      return Int32(truncatingIfNeeded: expected - 1)
    }
    return search(name)
  }

  private func search(_ name: String) -> Int32? {
    let found =
      names[min(expected, names.count)...].firstIndex(of: name) ?? names.firstIndex(of: name)
    guard let found else { return nil }
    expected = found + 1
    return Int32(truncatingIfNeeded: found)
  }

  /// The column of a key and what it holds.
  private func cell(_ key: some CodingKey) throws -> (column: Int32, kind: Int32) {
    guard let column = column(key.stringValue) else {
      let context = DecodingError.Context(
        codingPath: [], debugDescription: "there is no such column")
      throw DecodingError.keyNotFound(key, context)
    }
    return (column, statement.kind(at: column))
  }
}

extension RowDecoder {
  func hasValue(_ key: some CodingKey) -> Bool {
    guard let column = column(key.stringValue) else { return false }
    // The same key is asked for next.
    expected = Int(column)
    return statement.kind(at: column) != SQLITE_NULL
  }

  var allNames: [String] { names.filter { name in column(name).map(isFull) ?? false } }

  private func isFull(_ column: Int32) -> Bool { statement.kind(at: column) != SQLITE_NULL }

  func integer<T: FixedWidthInteger>(_ type: T.Type, _ key: some CodingKey) throws -> T {
    let (column, kind) = try cell(key)
    if kind == SQLITE_INTEGER, let value = T(exactly: statement.integer(at: column)) {
      return value
    }
    return try statement.value(at: column).integer(type, key)
  }

  func bool(_ key: some CodingKey) throws -> Bool {
    let (column, kind) = try cell(key)
    guard kind == SQLITE_INTEGER else { throw statement.value(at: column).mismatch(Bool.self, key) }
    return statement.integer(at: column) != 0
  }

  func double(_ key: some CodingKey) throws -> Double {
    let (column, kind) = try cell(key)
    if kind == SQLITE_FLOAT { return statement.real(at: column) }
    return try statement.value(at: column).double(key)
  }

  func string(_ key: some CodingKey) throws -> String {
    let (column, kind) = try cell(key)
    guard kind == SQLITE_TEXT else { throw statement.value(at: column).mismatch(String.self, key) }
    return statement.text(at: column)
  }

  func any<T: Decodable>(_ type: T.Type, _ key: some CodingKey) throws -> T {
    try statement.value(at: cell(key).column).decode(type, key)
  }
}

extension RowDecoder: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    expected = 0
    return KeyedDecodingContainer(RowDecodingContainer<Key>(row: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.notARow }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.notARow }

  static var notARow: DecodingError {
    .dataCorrupted(
      .init(codingPath: [], debugDescription: "a row has keys with one value each, nothing else"))
  }
}
