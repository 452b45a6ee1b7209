/// Gives a type that says itself how it is decoded the one plain value of a column.
///
/// It is strict, because some types try one plain type after the other: an integer is no `Bool`, and a text
/// no number.
struct SingleValueDecoder: Decoder {
  let value: StoredValue
  let key: ColumnKey

  var codingPath: [any CodingKey] { [key] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    throw value.mismatch([String: StoredValue].self, key)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw value.mismatch([StoredValue].self, key)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension SingleValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value == .null }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // True and false are kept as JSON here, which has been read before it comes to this.
    if type == Bool.self { throw value.mismatch(type, key) }
    return try value.decode(type, key)
  }
}
