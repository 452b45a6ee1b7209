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

  /// The cell in the column of a name, or `nil` where there is no such column.
  @inline(__always)
  func cell(_ name: String) -> Cell? {
    if expected < names.count, names[expected] == name {
      expected += 1
      return statement.cell(at: Int32(truncatingIfNeeded: expected - 1))
    }
    return search(name)
  }

  @inline(never)
  private func search(_ name: String) -> Cell? {
    let found =
      names[min(expected, names.count)...].firstIndex(of: name) ?? names.firstIndex(of: name)
    guard let found else { return nil }
    expected = found + 1
    return statement.cell(at: Int32(truncatingIfNeeded: found))
  }

  /// The cell in the column of a name if it has a value.
  @inline(__always)
  func full(_ name: String) -> Cell? {
    guard let cell = cell(name), cell.kind != SQLITE_NULL else { return nil }
    return cell
  }

  /// Whether a name has a value; the same name is expected to be asked for next.
  func hasValue(_ name: String) -> Bool {
    guard let cell = cell(name) else { return false }
    expected = Int(cell.column)
    return cell.kind != SQLITE_NULL
  }

  var fullNames: [String] {
    names.indices.filter { statement.cell(at: Int32($0)).kind != SQLITE_NULL }.map { names[$0] }
  }
}

// Nothing here is generic over the type of a key: the compiler makes one fast function for each type of
// value, which it can't do for keys of types that it doesn't see.
extension RowDecoder {
  func integer<T: FixedWidthInteger>(_ type: T.Type, in cell: Cell) throws -> T {
    if cell.kind == SQLITE_INTEGER, let value = T(exactly: cell.integer) { return value }
    return try cell.value.integer(type, key(cell))
  }

  func bool(in cell: Cell) throws -> Bool { try integer(Int64.self, in: cell) != 0 }

  func double(in cell: Cell) throws -> Double {
    if cell.kind == SQLITE_FLOAT { return cell.real }
    return try cell.value.double(key(cell))
  }

  func string(in cell: Cell) throws -> String {
    if cell.kind == SQLITE_TEXT { return cell.text }
    throw cell.value.mismatch(String.self, key(cell))
  }

  func any<T: Decodable>(_ type: T.Type, in cell: Cell) throws -> T {
    if type == Date.self,
      let date = Date(timeIntervalSinceReferenceDate: try double(in: cell)) as? T
    {
      return date
    }
    return try cell.value.decode(type, key(cell))
  }

  private func key(_ cell: Cell) -> ColumnKey { ColumnKey(names[Int(cell.column)]) }
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
    guard let container, container.keys == ObjectIdentifier(type) else {
      return makeContainer(keyedBy: type)
    }
    // The type is known by now, and a cast would look it up three times for each row.
    let box = unsafeDowncast(
      container.box, to: ContainerBox<KeyedDecodingContainer<Key>>.self)
    return box.opened()
  }

  private func makeContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedDecodingContainer<Key> {
    let made = KeyedDecodingContainer(RowDecodingContainer<Key>(row: self))
    container = (ObjectIdentifier(type), ContainerBox(made))
    return made
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.notARow }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.notARow }

  static var notARow: DecodingError {
    .dataCorrupted(
      .init(codingPath: [], debugDescription: "a row has keys with one value each, nothing else"))
  }
}

/// A container for keys of one type.
private final class ContainerBox<Container> {
  private let container: Container

  init(_ container: Container) { self.container = container }

  /// The container. An object knows the type of what is in it; inlined, this would have to look for it, which
  /// costs as much as two columns.
  @inline(never)
  func opened() -> Container { container }
}
