/// A column as a model encodes it.
struct TableColumn: Hashable {
  let name: String
  var type: DeclaredType
  /// Whether a row had no value for it, so that it can't be SQLite's row number.
  var isOptional = false
  /// Whether a value was encoded that the column, as it is declared, wouldn't store unchanged.
  var needsAny = false
  /// The declared type of the column in the file; it may differ, as long as values stay unchanged.
  var stored: DeclaredType

  init(name: String, type: DeclaredType, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    stored = type
  }

  func fileColumn(isRowNumber: Bool = false) -> FileColumn {
    FileColumn(name: name, type: stored, isRowNumber: isRowNumber)
  }
}

/// The error for a key under which two types were encoded.
struct MixedTypesError: Error {
  let column: String
  let first: DeclaredType
  let second: DeclaredType
}

/// Encodes models into the parameters of a statement; without a statement, it only collects their
/// columns.
///
/// One encoder serves all rows. Models usually encode their keys in the same order, so the next key
/// is looked for at the expected column first.
final class RowEncoder {
  /// The columns, in the order of the statement's parameters. Those that the table doesn't have yet
  /// are appended.
  private(set) var columns: [TableColumn]
  /// The Swift type that each column has encoded last, for types that `Codable` has no method for.
  private var types: [ObjectIdentifier?]
  private let statement: Statement?
  /// The statement's parameters; one that only finds a key has fewer than there are columns.
  private let parameterCount: Int
  /// The column that is SQLite's row number, which can't be `NULL`; -1 if there is none.
  private let rowNumber: Int
  private var hasRowNumber = false
  /// The column after the one that was encoded last.
  private var expected = 0
  private var isComplete = true
  /// The container of the previous row, because creating one takes as long as binding two columns.
  private var container: AnyObject?

  init(columns: [TableColumn] = [], rowNumber: Int? = nil, statement: Statement? = nil) {
    self.columns = columns
    self.statement = statement
    self.rowNumber = rowNumber ?? -1
    types = Array(repeating: nil, count: columns.count)
    parameterCount = Int(statement?.parameterCount ?? 0)
  }

  /// Binds a model; returns whether the table can store it. If not, ``columns`` say what the table
  /// needs.
  func encode(_ model: some Encodable) throws -> Bool {
    statement?.clear()
    expected = 0
    isComplete = true
    hasRowNumber = false
    try model.encode(to: self)
    if rowNumber >= 0, !hasRowNumber {
      columns[rowNumber].isOptional = true
      isComplete = false
    }
    return isComplete
  }

  /// Releases the container, which refers to this encoder.
  func finish() { container = nil }
}

extension RowEncoder {
  /// The column of a key, which is appended if it is missing.
  private func column(_ name: String, _ type: DeclaredType, isNil: Bool) throws -> Int {
    let isExpected = expected < columns.count && columns[expected].name == name
    let index = isExpected ? expected : search(name, type, isNil: isNil)
    expected = index + 1
    if columns[index].type != type { try change(index, to: type) }
    return index
  }

  private func search(_ name: String, _ type: DeclaredType, isNil: Bool) -> Int {
    if let index = columns.firstIndex(where: { $0.name == name }) { return index }
    isComplete = false
    columns.append(TableColumn(name: name, type: type, isOptional: isNil))
    types.append(nil)
    return columns.count - 1
  }

  private func change(_ index: Int, to type: DeclaredType) throws {
    guard type != .unknown else { return }
    let (name, known) = (columns[index].name, columns[index].type)
    guard known == .unknown else {
      throw MixedTypesError(column: name, first: known, second: type)
    }
    columns[index] = TableColumn(name: name, type: type, isOptional: true)
    isComplete = false
  }

  /// The statement and the parameter for a column, or `nil` if the statement has none for it.
  private func parameter(_ index: Int) -> (Statement, Int32)? {
    if index == rowNumber { hasRowNumber = true }
    guard index < parameterCount, let statement else { return nil }
    return (statement, Int32(truncatingIfNeeded: index + 1))
  }

  /// The column of a key whose type `Codable` has no method for.
  private func column<T>(_ name: String, of type: T.Type, isNil: Bool) throws -> Int {
    let id = ObjectIdentifier(type)
    if expected < columns.count, types[expected] == id, columns[expected].name == name {
      expected += 1
      return expected - 1
    }
    let index = try column(name, DeclaredType(of: type), isNil: isNil)
    types[index] = id
    return index
  }
}

extension RowEncoder {
  fileprivate func encode(integer value: Int64?, _ name: String) throws {
    let index = try column(name, .integer, isNil: value == nil)
    guard let value, let (statement, position) = parameter(index) else { return }
    try statement.bind(value, at: position)
  }

  fileprivate func encode(real value: Double?, _ name: String) throws {
    let index = try column(name, .real, isNil: value == nil)
    guard let value, let (statement, position) = parameter(index) else { return }
    try statement.bind(StoredValue(value), at: position)
  }

  fileprivate func encode(text value: String?, _ name: String) throws {
    let index = try column(name, .text, isNil: value == nil)
    guard let value, let (statement, position) = parameter(index) else { return }
    try statement.bind(value, at: position)
  }

  fileprivate func encodeNil(_ name: String) throws {
    _ = try column(name, .unknown, isNil: true)
  }

  fileprivate func encode<T: Encodable>(any value: T?, _ name: String) throws {
    let index = try column(name, of: T.self, isNil: value == nil)
    guard let value else { return }
    let stored = try StoredValue(encoding: value)
    guard stored != .null, let (statement, position) = parameter(index) else { return }
    if columns[index].type == .any, !columns[index].stored.keeps(stored) {
      columns[index].needsAny = true
      isComplete = false
    }
    try statement.bind(stored, at: position)
  }
}

extension RowEncoder: Encoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if let known = container as? ContainerBox<Key> { return known.container }
    let made = KeyedEncodingContainer(RowEncodingContainer<Key>(row: self))
    container = ContainerBox(made)
    return made
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    ThrowingEncoder(error: Self.notARow("a list"))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ThrowingEncoder(error: Self.notARow("a single value"))
  }

  fileprivate static func notARow(_ form: String) -> EncodingError {
    EncodingError.invalidValue(
      form,
      .init(codingPath: [], debugDescription: "a row has keys with one value each, not \(form)"))
  }
}

private final class ContainerBox<Key: CodingKey> {
  let container: KeyedEncodingContainer<Key>

  init(_ container: KeyedEncodingContainer<Key>) { self.container = container }
}

private struct RowEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let row: RowEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { try row.encodeNil(key.stringValue) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try row.encode(any: value, key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(ThrowingKeyedContainer<Nested>(error: Self.nested))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    ThrowingEncoder(error: Self.nested)
  }

  func superEncoder() -> any Encoder { ThrowingEncoder(error: Self.nested) }

  func superEncoder(forKey key: Key) -> any Encoder { ThrowingEncoder(error: Self.nested) }

  private static var nested: EncodingError { RowEncoder.notARow("nested containers") }
}

// The most frequent types; the others are encoded by the generic functions.
extension RowEncodingContainer {
  func encode(_ value: Bool, forKey key: Key) throws { try encodeIfPresent(value, forKey: key) }
  func encode(_ value: String, forKey key: Key) throws { try encodeIfPresent(value, forKey: key) }
  func encode(_ value: Double, forKey key: Key) throws { try encodeIfPresent(value, forKey: key) }
  func encode(_ value: Int, forKey key: Key) throws { try encodeIfPresent(value, forKey: key) }
  func encode(_ value: Int64, forKey key: Key) throws { try encodeIfPresent(value, forKey: key) }
}

// The default implementations, which each type of the protocol has, skip `nil`: a column that is
// `nil` in the first row would be missing in the table.
extension RowEncodingContainer {
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
    try row.encode(integer: value.map { $0 ? 1 : 0 }, key.stringValue)
  }

  func encodeIfPresent(_ value: String?, forKey key: Key) throws {
    try row.encode(text: value, key.stringValue)
  }

  func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
    try row.encode(real: value, key.stringValue)
  }

  func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
    try row.encode(integer: value.map(Int64.init), key.stringValue)
  }

  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
    try row.encode(integer: value, key.stringValue)
  }

  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try other(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try other(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try other(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try other(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try other(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try other(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try other(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try other(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try other(value, key) }

  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try other(value, key) }

  private func other<T: Encodable>(_ value: T?, _ key: Key) throws {
    try row.encode(any: value, key.stringValue)
  }
}
