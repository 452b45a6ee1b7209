internal import Foundation

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// Reads models off the rows of a statement, straight from its columns.
///
/// One decoder serves all rows, and one statement after the other. Models ask for their keys in the order of the
/// columns as a rule, so the next key is looked for where it is expected.
final class RowDecoder {
  private let cursor: UnsafeMutablePointer<RowCursor>
  private var names: [String] = []
  /// The container of the row before, since making one costs as much as reading a row of numbers.
  private var container: (keys: ObjectIdentifier, box: AnyObject)?

  init() {
    cursor = .allocate(capacity: 1)
    cursor.initialize(to: RowCursor(keys: Self.noKeys(for: 0)))
  }

  deinit {
    cursor.pointee.keys.deallocate()
    cursor.deallocate()
  }

  /// Goes over to a statement that stands at its first row.
  func begin(_ statement: Statement) { refer(to: statement.handle, statement.columnNames) }

  /// Lets go of the statement. Whoever has kept a container finds no columns in it from now on.
  func finish() { refer(to: nil, []) }

  private func refer(to statement: OpaquePointer?, _ names: [String]) {
    self.names = names
    container = nil
    cursor.pointee.keys.deallocate()
    cursor.pointee = RowCursor(statement: statement, keys: Self.noKeys(for: names.count))
  }

  private static func noKeys(for count: Int) -> UnsafeMutablePointer<Int16> {
    let keys = UnsafeMutablePointer<Int16>.allocate(capacity: count + 1)
    keys.initialize(repeating: RowCursor.noKey, count: count + 1)
    return keys
  }
}

extension RowDecoder {
  /// The cell in the column of a name, or `nil` where there is no such column.
  func cell(_ name: String) -> Cell? {
    let expected = cursor.pointee.expected
    let found =
      names[min(expected, names.count)...].firstIndex(of: name) ?? names.firstIndex(of: name)
    return found.map(cursor.cell(at:))
  }

  /// The names of the columns that have a value.
  var fullNames: [String] {
    let expected = cursor.pointee.expected
    defer { cursor.pointee.expected = expected }
    return names.indices.filter { cursor.cell(at: $0).kind != SQLITE_NULL }.map { names[$0] }
  }
}

// What takes more than a look at the cell; what doesn't, containers do themselves.
extension RowDecoder {
  func integer<T: FixedWidthInteger>(_ type: T.Type, in cell: Cell) throws -> T {
    try cell.value.integer(type, key(cell))
  }

  func double(in cell: Cell) throws -> Double {
    try cell.exactDouble ?? cell.value.double(key(cell))
  }

  func noText(in cell: Cell) -> DecodingError { cell.value.mismatch(String.self, key(cell)) }

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

extension RowDecoder: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    cursor.pointee.expected = 0
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
    cursor.pointee.keyType = MemoryLayout<Key>.size == 1 ? ObjectIdentifier(type) : nil
    cursor.pointee.keys.update(repeating: RowCursor.noKey, count: names.count)
    let made = KeyedDecodingContainer(RowDecodingContainer<Key>(self, cursor))
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
