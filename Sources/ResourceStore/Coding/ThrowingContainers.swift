/// A keyed container that throws an error for each value: for forms that a column or a row can't
/// have.
struct ThrowingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let error: any Error
  let codingPath: [any CodingKey] = []

  func encodeNil(forKey key: Key) throws { throw error }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw error }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    ThrowingEncoder(error: error).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    ThrowingEncoder(error: error)
  }

  func superEncoder() -> any Encoder { ThrowingEncoder(error: error) }

  func superEncoder(forKey key: Key) -> any Encoder { ThrowingEncoder(error: error) }
}

/// An encoder that throws an error for each value; it is its own container of single values, and of
/// values without keys.
struct ThrowingEncoder: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
  let error: any Error
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  let count = 0

  func encodeNil() throws { throw error }

  func encode<T: Encodable>(_ value: T) throws { throw error }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ThrowingKeyedContainer<Key>(error: error))
  }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    container(keyedBy: type)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func superEncoder() -> any Encoder { self }
}
