/// A keyed container that throws an error for every value: for forms that a column or a row can't have.
struct ThrowingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let error: any Error
  let codingPath: [any CodingKey] = []

  func encodeNil(forKey key: Key) throws { throw error }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw error }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(ThrowingKeyedContainer<Nested>(error: error))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    ThrowingUnkeyedContainer(error: error)
  }

  func superEncoder() -> any Encoder { ThrowingEncoder(error: error) }

  func superEncoder(forKey key: Key) -> any Encoder { ThrowingEncoder(error: error) }
}

/// An unkeyed container that throws an error for every value.
struct ThrowingUnkeyedContainer: UnkeyedEncodingContainer {
  let error: any Error
  let codingPath: [any CodingKey] = []
  let count = 0

  func encodeNil() throws { throw error }

  func encode<T: Encodable>(_ value: T) throws { throw error }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ThrowingKeyedContainer<Key>(error: error))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

  func superEncoder() -> any Encoder { ThrowingEncoder(error: error) }
}

/// An encoder of single values that throws an error for every value.
struct ThrowingEncoder: Encoder, SingleValueEncodingContainer {
  let error: any Error
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ThrowingKeyedContainer<Key>(error: error))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { ThrowingUnkeyedContainer(error: error) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws { throw error }

  func encode<T: Encodable>(_ value: T) throws { throw error }
}
