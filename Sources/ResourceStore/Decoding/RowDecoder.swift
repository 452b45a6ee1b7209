internal import Foundation

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
  /// The container of the row before, since making one costs as much as reading a row of numbers.
  private var container: (keys: ObjectIdentifier, box: AnyObject)?

  /// A decoder for a statement that stands at its first row.
  init(_ statement: Statement) {
    self.statement = statement
    names = statement.columnNames
  }

  /// The column of a name, or `nil` where there is none.
  @inline(__always)
  func column(_ name: String) -> Int32? {
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

  /// The column of a name if it has a value.
  @inline(__always)
  func full(_ name: String) -> Int32? {
    guard let column = column(name), isFull(column) else { return nil }
    return column
  }

  /// Whether a name has a value; the same name is expected to be asked for next.
  func hasValue(_ name: String) -> Bool {
    guard let column = column(name) else { return false }
    expected = Int(column)
    return isFull(column)
  }

  private func isFull(_ column: Int32) -> Bool { statement.kind(at: column) != SQLITE_NULL }

  var fullNames: [String] { names.indices.filter { isFull(Int32($0)) }.map { names[$0] } }
}

// Nothing here is generic over the type of a key: the compiler makes one fast function for each type of
// value, which it can't do for keys of types that it doesn't see.
extension RowDecoder {
  func integer<T: FixedWidthInteger>(_ type: T.Type, at column: Int32) throws -> T {
    if statement.kind(at: column) == SQLITE_INTEGER,
      let value = T(exactly: statement.integer(at: column))
    {
      return value
    }
    return try statement.value(at: column).integer(type, key(column))
  }

  func bool(at column: Int32) throws -> Bool { try integer(Int64.self, at: column) != 0 }

  func double(at column: Int32) throws -> Double {
    if statement.kind(at: column) == SQLITE_FLOAT { return statement.real(at: column) }
    return try statement.value(at: column).double(key(column))
  }

  func string(at column: Int32) throws -> String {
    guard statement.kind(at: column) == SQLITE_TEXT else {
      throw statement.value(at: column).mismatch(String.self, key(column))
    }
    return statement.text(at: column)
  }

  func any<T: Decodable>(_ type: T.Type, at column: Int32) throws -> T {
    if type == Date.self,
      let date = Date(timeIntervalSinceReferenceDate: try double(at: column)) as? T
    {
      return date
    }
    return try statement.value(at: column).decode(type, key(column))
  }

  private func key(_ column: Int32) -> ColumnKey { ColumnKey(names[Int(column)]) }
}

extension RowDecoder {
  /// Ends the use of this decoder; it and its container hold each other until then.
  func finish() { container = nil }
}

extension RowDecoder: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    expected = 0
    if let container, container.keys == ObjectIdentifier(type) {
      // The type is known by now, and a cast would look it up three times for each row.
      return unsafeDowncast(container.box, to: ContainerBox<Key>.self).container
    }
    let box = ContainerBox(KeyedDecodingContainer(RowDecodingContainer<Key>(row: self)))
    container = (ObjectIdentifier(type), box)
    return box.container
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.notARow }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.notARow }

  static var notARow: DecodingError {
    .dataCorrupted(
      .init(codingPath: [], debugDescription: "a row has keys with one value each, nothing else"))
  }
}

/// A container for keys of one type.
private final class ContainerBox<Key: CodingKey> {
  let container: KeyedDecodingContainer<Key>

  init(_ container: KeyedDecodingContainer<Key>) { self.container = container }
}
