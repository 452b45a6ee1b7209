/// The keys of a model, on their way out of a row.
struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowDecoder

  var codingPath: [any CodingKey] { [] }

  /// The keys that have a value.
  var allKeys: [Key] { row.allNames.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { row.hasValue(key) }

  func decodeNil(forKey key: Key) -> Bool { !row.hasValue(key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try row.any(type, key) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw RowDecoder.notARow }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw RowDecoder.notARow
  }

  func superDecoder() throws -> any Decoder { throw RowDecoder.notARow }

  func superDecoder(forKey key: Key) throws -> any Decoder { throw RowDecoder.notARow }
}

/// The plain types, decoded in place.
extension RowDecodingContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try row.bool(key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try row.string(key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try row.double(key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { Float(try row.double(key)) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try row.integer(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try row.integer(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try row.integer(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try row.integer(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try row.integer(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try row.integer(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try row.integer(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try row.integer(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try row.integer(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try row.integer(type, key) }
}
