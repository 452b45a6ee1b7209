internal import Foundation

/// Binds what a model encodes to the parameters of a statement, or only learns its columns.
///
/// One encoder serves all rows of a statement. Models encode their keys in the same order as a rule, so the
/// next key is looked for where it is expected.
final class RowEncoder {
  /// The columns, in the order of the statement's parameters. Keys that weren't known are added behind.
  private(set) var columns: [TableColumn]
  /// Without one nothing is bound.
  private let statement: Statement?
  /// How many parameters the statement has: one that only looks for a key doesn't take all columns.
  private let parameterCount: Int
  private var expected = 0
  private var isComplete = true
  /// The container of the row before, since making one costs as much as binding a row of numbers.
  private var container: Any?

  init(columns: [TableColumn], statement: Statement? = nil) {
    self.columns = columns
    self.statement = statement
    parameterCount = Int(statement?.parameterCount ?? 0)
  }

  /// Binds a model.
  ///
  /// - Returns: Whether all of its keys are columns of the statement; otherwise ``columns`` has grown.
  /// - Throws: What the model's `encode(to:)` throws.
  func encode(_ model: some Encodable) throws -> Bool {
    statement?.clear()
    expected = 0
    isComplete = true
    try model.encode(to: self)
    return isComplete
  }

  /// The statement and the parameter for a key, or `nil` if nothing is to be bound.
  @inline(__always)
  private func target(_ name: String, _ type: DeclaredType) -> (Statement, Int32)? {
    let index =
      expected < columns.count && columns[expected].name == name
      ? expected : self.index(of: name, type)
    expected = index + 1
    guard index < parameterCount, let statement else { return nil }
    return (statement, Int32(truncatingIfNeeded: index + 1))
  }

  private func index(of name: String, _ type: DeclaredType) -> Int {
    if let index = columns.firstIndex(where: { $0.name == name }) { return index }
    isComplete = false
    columns.append(TableColumn(name: name, type: type))
    return columns.count - 1
  }
}

extension RowEncoder {
  func encode(integer value: Int64?, _ name: String) throws {
    guard let (statement, position) = target(name, .integer), let value else { return }
    try statement.bind(value, at: position)
  }

  func encode(unsigned value: (some FixedWidthInteger)?, _ name: String) throws {
    guard let (statement, position) = target(name, .unsigned), let value else { return }
    try statement.bind(StoredValue(value), at: position)
  }

  func encode(real value: Double?, _ name: String) throws {
    guard let (statement, position) = target(name, .real), let value else { return }
    try statement.bind(StoredValue(value), at: position)
  }

  func encode(text value: String?, _ name: String) throws {
    guard let (statement, position) = target(name, .text), let value else { return }
    try statement.bind(value, at: position)
  }

  func encode<T: Encodable>(any value: T?, _ name: String) throws {
    guard let (statement, position) = target(name, DeclaredType(of: T.self)), let value else {
      return
    }
    if T.self == Date.self, let date = value as? Date {
      try statement.bind(date.timeIntervalSinceReferenceDate, at: position)
    } else {
      try statement.bind(StoredValue(encoding: value), at: position)
    }
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
