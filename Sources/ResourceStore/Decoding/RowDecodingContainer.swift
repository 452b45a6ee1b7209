/// The keys of a model, on their way out of a row.
struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowDecoder

  var codingPath: [any CodingKey] { [] }

  /// The keys that have a value.
  var allKeys: [Key] { row.fullNames.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { row.hasValue(key.stringValue) }

  func decodeNil(forKey key: Key) -> Bool { !row.hasValue(key.stringValue) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try row.any(type, in: cell(key))
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try row.full(key.stringValue).map { try row.any(type, in: $0) }
  }

  /// The cell of a key.
  @inline(__always)
  func cell(_ key: Key) throws -> Cell {
    if let cell = row.cell(key.stringValue) { return cell }
    throw noColumn(key)
  }

  /// Out of the way of what goes well, which needn't know what an error looks like.
  @inline(never)
  private func noColumn(_ key: Key) -> DecodingError {
    let context = DecodingError.Context(codingPath: [], debugDescription: "there is no such column")
    return .keyNotFound(key, context)
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
