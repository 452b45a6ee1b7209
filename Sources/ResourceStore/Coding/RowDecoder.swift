internal import ResourcePrimitives

/// Decodes models from the rows of a statement, straight from the current row.
///
/// One decoder serves all rows. Models usually decode their keys in the order of the columns, so
/// the next key is looked for at the expected column first.
final class RowDecoder {
  private let statement: Statement
  private var names: [String]
  /// The column after the one that was decoded last.
  private var expected = 0
  /// The container of the previous row, because creating one takes as long as decoding two columns.
  private var container: AnyObject?

  init(_ statement: Statement) {
    self.statement = statement
    names = statement.columnNames
  }

  func decode<M: Decodable>(_ type: M.Type) throws -> M { try M(from: self) }

  /// Releases the container, which refers to this decoder. A model that has kept it finds no
  /// columns from now on.
  func finish() {
    container = nil
    names = []
  }

  /// The number of bytes of the texts and blobs in the current row.
  var contentSize: Int {
    names.indices.reduce(0) { $0 + statement.value(at: Int32($1)).contentSize }
  }
}

// What containers do for any type of keys. These functions know no keys, so that the compiler
// specialises them.
extension RowDecoder {
  /// The column of a name, or `nil` if there is none.
  private func column(_ name: String) -> Int? {
    let expected = expected
    if expected < names.count, names[expected] == name { return expected }
    return names.firstIndex(of: name) ?? names.firstIndex { $0.isSameName(as: name) }
  }

  /// The value of a column, after which the next column is expected.
  fileprivate func value(_ name: String) throws -> ColumnValue {
    guard let column = column(name) else { throw Self.noColumn(name) }
    expected = column + 1
    return statement.value(at: Int32(truncatingIfNeeded: column))
  }

  /// The value of a column, after which the next column is expected; `nil` if it is `NULL` or
  /// missing.
  fileprivate func presentValue(_ name: String) -> ColumnValue? {
    guard let column = column(name) else { return nil }
    expected = column + 1
    let value = statement.value(at: Int32(truncatingIfNeeded: column))
    return value.isNull ? nil : value
  }

  /// Whether a column has a value. If so, it is expected next.
  fileprivate func hasValue(_ name: String) -> Bool {
    guard let column = column(name) else { return false }
    let hasValue = !statement.value(at: Int32(truncatingIfNeeded: column)).isNull
    expected = hasValue ? column : column + 1
    return hasValue
  }

  fileprivate var presentNames: [String] {
    names.indices.filter { !statement.value(at: Int32($0)).isNull }.map { names[$0] }
  }

  private static func noColumn(_ name: String) -> DecodingError {
    .keyNotFound(
      PathKey(name), .init(codingPath: [], debugDescription: "there is no such column"))
  }
}

// Read straight from the row if the column holds exactly this type; other values may fit as well.
extension ColumnValue {
  fileprivate func integer<T: FixedWidthInteger>(_ type: T.Type, _ name: String) throws -> T {
    try exactInteger(type) ?? stored.integer(type, PathKey(name))
  }

  fileprivate func double(_ name: String) throws -> Double {
    try exactReal ?? stored.double(PathKey(name))
  }

  fileprivate func string(_ name: String) throws -> String {
    try exactText ?? stored.string(PathKey(name))
  }
}

extension RowDecoder: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    expected = 0
    // A cast to a class is faster than one to a structure.
    if let known = container as? ContainerBox<Key> { return known.container }
    let made = KeyedDecodingContainer(RowDecodingContainer<Key>(row: self))
    container = ContainerBox(made)
    return made
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.notARow }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.notARow }

  fileprivate static var notARow: DecodingError {
    .dataCorrupted(
      .init(codingPath: [], debugDescription: "a row has keys with one value each, nothing else"))
  }
}

private final class ContainerBox<Key: CodingKey> {
  let container: KeyedDecodingContainer<Key>

  init(_ container: KeyedDecodingContainer<Key>) { self.container = container }
}

private struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowDecoder

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] { row.presentNames.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { row.hasValue(key.stringValue) }

  func decodeNil(forKey key: Key) -> Bool { !row.hasValue(key.stringValue) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let name = key.stringValue
    return try row.value(name).stored.decode(type, PathKey(name))
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    let name = key.stringValue
    return try row.presentValue(name)?.stored.decode(type, PathKey(name))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw RowDecoder.notARow }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw RowDecoder.notARow
  }

  func superDecoder() throws -> any Decoder { throw RowDecoder.notARow }

  func superDecoder(forKey key: Key) throws -> any Decoder { throw RowDecoder.notARow }
}

// The most frequent types, without a detour through `StoredValue`; the others are decoded by the
// generic functions.
extension RowDecodingContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    let name = key.stringValue
    return try row.value(name).integer(Int64.self, name) != 0
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    let name = key.stringValue
    return try row.presentValue(name).map { try $0.integer(Int64.self, name) != 0 }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    let name = key.stringValue
    return try row.value(name).integer(type, name)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    let name = key.stringValue
    return try row.presentValue(name)?.integer(type, name)
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    let name = key.stringValue
    return try row.value(name).integer(type, name)
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    let name = key.stringValue
    return try row.presentValue(name)?.integer(type, name)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    let name = key.stringValue
    return try row.value(name).double(name)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    let name = key.stringValue
    return try row.presentValue(name)?.double(name)
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let name = key.stringValue
    return try row.value(name).string(name)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    let name = key.stringValue
    return try row.presentValue(name)?.string(name)
  }
}
