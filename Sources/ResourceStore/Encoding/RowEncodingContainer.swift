/// The keys of a model, on their way into a row.
struct RowEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let row: RowEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws {
    try row.encodeNil(key.stringValue)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try row.encode(any: value, key.stringValue)
  }

  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    try row.encode(any: value, key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingContainer<Nested>(error: Self.nested))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusingListContainer(error: Self.nested)
  }

  func superEncoder() -> any Encoder { RefusingEncoder(error: Self.nested) }

  func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder(error: Self.nested) }

  private static var nested: EncodingError { RowEncoder.notARow("nested containers") }
}
