/// A container whose every value is an error: for what a column or a row can't be.
struct RefusingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let error: any Error
  let codingPath: [any CodingKey] = []

  func encodeNil(forKey key: Key) throws { throw error }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw error }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingContainer<Nested>(error: error))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusingListContainer(error: error)
  }

  func superEncoder() -> any Encoder { RefusingEncoder(error: error) }

  func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder(error: error) }
}

/// The same for lists.
struct RefusingListContainer: UnkeyedEncodingContainer {
  let error: any Error
  let codingPath: [any CodingKey] = []
  let count = 0

  func encodeNil() throws { throw error }

  func encode<T: Encodable>(_ value: T) throws { throw error }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingContainer<Key>(error: error))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

  func superEncoder() -> any Encoder { RefusingEncoder(error: error) }
}

/// The same for single values.
struct RefusingEncoder: Encoder, SingleValueEncodingContainer {
  let error: any Error
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingContainer<Key>(error: error))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingListContainer(error: error) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws { throw error }

  func encode<T: Encodable>(_ value: T) throws { throw error }
}
