internal import Foundation

/// Binds what a model encodes to the parameters of a statement, or only learns its columns.
///
/// One encoder serves all rows of a statement. Models encode their keys in the same order as a rule, so the
/// next key is looked for where it is expected.
final class RowEncoder {
  /// The columns, in the order of the statement's parameters. What the table doesn't have as yet is noted here.
  private(set) var columns: [TableColumn]
  /// The Swift type that was encoded last by each column that isn't one of `Codable`'s own types.
  private var types: [ObjectIdentifier?]
  /// Without one nothing is bound.
  private let statement: Statement?
  /// How many parameters the statement has: one that only looks for a key doesn't take all columns.
  private let parameterCount: Int
  /// The column that is SQLite's row number, which takes no `NULL`; -1 where there is none.
  private let rowNumber: Int
  private var hasRowNumber = false
  private var expected = 0
  private var isComplete = true
  /// The container of the row before, since making one costs as much as binding a row of numbers.
  private var container: Any?

  init(columns: [TableColumn], rowNumber: Int? = nil, statement: Statement? = nil) {
    self.columns = columns
    self.statement = statement
    self.rowNumber = rowNumber ?? -1
    types = Array(repeating: nil, count: columns.count)
    parameterCount = Int(statement?.parameterCount ?? 0)
  }

  /// Binds a model.
  ///
  /// - Returns: Whether the table can take it; otherwise ``columns`` say what the table lacks.
  /// - Throws: What the model's `encode(to:)` throws, and `MixedTypes`.
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
}

extension RowEncoder {
  /// Where the column of a key is.
  @inline(__always)
  private func index(of name: String, _ type: DeclaredType, isNil: Bool) throws -> Int {
    let isExpected = expected < columns.count && columns[expected].name == name
    let index = isExpected ? expected : search(name, type, isNil: isNil)
    expected = index + 1
    if columns[index].type != type { try retype(index, type) }
    return index
  }

  private func search(_ name: String, _ type: DeclaredType, isNil: Bool) -> Int {
    if let index = columns.firstIndex(where: { $0.name == name }) { return index }
    isComplete = false
    columns.append(TableColumn(name: name, type: type, isOptional: isNil))
    types.append(nil)
    return columns.count - 1
  }

  @inline(never)
  private func retype(_ index: Int, _ type: DeclaredType) throws {
    guard type != .unknown else { return }
    guard columns[index].type == .unknown else {
      let (name, known) = (columns[index].name, columns[index].type)
      throw MixedTypes(column: name, first: known, second: type)
    }
    columns[index] = TableColumn(name: columns[index].name, type: type, isOptional: true)
    isComplete = false
  }

  /// The statement and the parameter for a column, or `nil` if nothing is to be bound.
  @inline(__always)
  private func target(_ index: Int) -> (Statement, Int32)? {
    if index == rowNumber { hasRowNumber = true }
    guard index < parameterCount, let statement else { return nil }
    return (statement, Int32(truncatingIfNeeded: index + 1))
  }
}

extension RowEncoder {
  func encode(integer value: Int64?, _ name: String) throws {
    let index = try index(of: name, .integer, isNil: value == nil)
    guard let value, let (statement, position) = target(index) else { return }
    try statement.bind(value, at: position)
  }

  func encode(unsigned value: (some FixedWidthInteger)?, _ name: String) throws {
    let index = try index(of: name, .unsigned, isNil: value == nil)
    guard let value, let (statement, position) = target(index) else { return }
    try statement.bind(StoredValue(value), at: position)
  }

  func encode(real value: Double?, _ name: String) throws {
    let index = try index(of: name, .real, isNil: value == nil)
    guard let value, let (statement, position) = target(index) else { return }
    try statement.bind(StoredValue(value), at: position)
  }

  func encode(text value: String?, _ name: String) throws {
    let index = try index(of: name, .text, isNil: value == nil)
    guard let value, let (statement, position) = target(index) else { return }
    try statement.bind(value, at: position)
  }

  func encodeNil(_ name: String) throws { _ = try index(of: name, .unknown, isNil: true) }

  func encode<T: Encodable>(any value: T?, _ name: String) throws {
    let index = try index(of: T.self, name, isNil: value == nil)
    guard let value else { return }
    let stored = try StoredValue(encoding: value)
    guard stored != .null, let (statement, position) = target(index) else { return }
    if columns[index].type == .any, !columns[index].stored.keeps(stored) {
      columns[index].needsAny = true
      isComplete = false
    }
    try statement.bind(stored, at: position)
  }

  /// Where the column of a key is whose value is of a type that isn't one of `Codable`'s own.
  private func index<T>(of type: T.Type, _ name: String, isNil: Bool) throws -> Int {
    let id = ObjectIdentifier(type)
    if expected < columns.count, types[expected] == id, columns[expected].name == name {
      expected += 1
      return expected - 1
    }
    let index = try index(of: name, DeclaredType(of: type), isNil: isNil)
    types[index] = id
    return index
  }
}

extension RowEncoder {
  /// Ends the use of this encoder; it and its container hold each other until then.
  func finish() { container = nil }
}

extension RowEncoder: Encoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if let known = container as? KeyedEncodingContainer<Key> { return known }
    let made = KeyedEncodingContainer(RowEncodingContainer<Key>(row: self))
    container = made
    return made
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RefusingListContainer(error: Self.notARow("a list"))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    RefusingEncoder(error: Self.notARow("a single value"))
  }

  static func notARow(_ form: String) -> EncodingError {
    EncodingError.invalidValue(
      form,
      .init(codingPath: [], debugDescription: "a row has keys with one value each, not \(form)"))
  }
}
