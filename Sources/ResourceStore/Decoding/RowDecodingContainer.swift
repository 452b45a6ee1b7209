/// The keys of a model, on their way out of a row.
struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowDecoder

  var codingPath: [any CodingKey] { [] }

  /// The keys that have a value.
  var allKeys: [Key] { row.fullNames.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { row.hasValue(key.stringValue) }

  func decodeNil(forKey key: Key) -> Bool { !row.hasValue(key.stringValue) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try row.any(type, at: column(key))
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try row.full(key.stringValue).map { try row.any(type, at: $0) }
  }

  /// The column of a key.
  @inline(__always)
  func column(_ key: Key) throws -> Int32 {
    if let column = row.column(key.stringValue) { return column }
    let context = DecodingError.Context(codingPath: [], debugDescription: "there is no such column")
    throw DecodingError.keyNotFound(key, context)
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
