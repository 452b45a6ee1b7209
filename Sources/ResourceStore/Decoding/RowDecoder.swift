internal import Foundation

/// Reads models off the rows of a statement.
///
/// One decoder serves all rows, and one statement after the other. Models ask for their keys in the order of the
/// columns as a rule, so the next key is looked for where it is expected.
final class RowDecoder {
  private let cursor: UnsafeMutablePointer<RowCursor>
  private var batch = RowBatch(width: 0)
  private var names: [String] = []
  /// The container of the row before, since making one costs as much as reading a row of numbers.
  private var container: (keys: ObjectIdentifier, box: AnyObject)?

  init() {
    cursor = .allocate(capacity: 1)
    cursor.initialize(
      to: RowCursor(row: batch.row(0), bytes: batch.bytes, keys: Self.noKeys(for: 0)))
  }

  deinit {
    cursor.pointee.keys.deallocate()
    cursor.deallocate()
  }

  /// Goes over to rows with columns of these names.
  func begin(_ names: [String]) {
    batch.begin(width: names.count)
    refer(to: names)
  }

  /// Lets go of the rows. Whoever has kept a container finds no columns in it from now on.
  func finish() {
    batch.finish()
    refer(to: [])
  }

  private func refer(to names: [String]) {
    self.names = names
    container = nil
    cursor.pointee.keys.deallocate()
    cursor.pointee = RowCursor(
      row: batch.row(0), bytes: batch.bytes, keys: Self.noKeys(for: names.count))
  }

  private static func noKeys(for count: Int) -> UnsafeMutablePointer<Int16> {
    let keys = UnsafeMutablePointer<Int16>.allocate(capacity: count + 1)
    keys.initialize(repeating: RowCursor.noKey, count: count + 1)
    return keys
  }
}

extension RowDecoder {
  /// Takes the next rows off a statement that stands at one.
  ///
  /// - Returns: Whether there are more.
  /// - Throws: What the statement throws.
  func takeRows(of statement: Statement) throws -> Bool {
    let areMore = try batch.fill(from: statement)
    cursor.pointee.bytes = batch.bytes
    return areMore
  }

  /// Makes models of these rows.
  ///
  /// - Throws: What decoding a model throws.
  func decodeRows<M: StoredModel>(into models: inout ModelBuffer<M>) throws {
    for index in 0..<batch.count {
      cursor.pointee.row = batch.row(index)
      try models.append { try M(from: self) }
    }
  }

  /// The column of a name, or `nil` where there is no such column.
  func column(_ name: String) -> Int? {
    names[min(cursor.pointee.expected, names.count)...].firstIndex(of: name)
      ?? names.firstIndex(of: name) ?? names.firstIndex { $0.isSameName(as: name) }
  }

  /// The names of the columns that have a value.
  var fullNames: [String] {
    names.indices.filter { !cursor.pointee.row[$0].isNull }.map { names[$0] }
  }
}

// What takes more than a look at the cell that was read last; what doesn't, containers do themselves.
extension RowDecoder {
  func integer<T: FixedWidthInteger>(_ type: T.Type, in cell: RowCell) throws -> T {
    try value(cell).integer(type, lastKey)
  }

  func double(in cell: RowCell) throws -> Double {
    try cell.exactDouble ?? value(cell).double(lastKey)
  }

  func text(in cell: RowCell) throws -> String {
    let value = value(cell)
    guard case .text(let text) = value else { throw value.mismatch(String.self, lastKey) }
    return text
  }

  func any<T: Decodable>(_ type: T.Type, in cell: RowCell) throws -> T {
    if type == Date.self,
      let date = Date(timeIntervalSinceReferenceDate: try double(in: cell)) as? T
    {
      return date
    }
    return try value(cell).decode(type, lastKey)
  }

  private func value(_ cell: RowCell) -> StoredValue { cell.value(cursor.pointee.bytes) }

  private var lastKey: ColumnKey { ColumnKey(names[cursor.pointee.expected - 1]) }
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
    let isOneByte = MemoryLayout<Key>.size == 1
    cursor.pointee.keyType = isOneByte ? ObjectIdentifier(type) : ObjectIdentifier(RowCursor.self)
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
