/// Encodes named values.
struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let place: ParameterPlace
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) { place.member(key.stringValue).set(.null) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try place.member(key.stringValue).encode(value, at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(ParameterKey("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

  private func encoder(_ key: any CodingKey) -> ParameterEncoder {
    ParameterEncoder(place: place.member(key.stringValue), codingPath: codingPath + [key])
  }
}

/// Encodes the elements of a list.
struct UnkeyedParameterContainer: UnkeyedEncodingContainer {
  let place: ParameterPlace
  let codingPath: [any CodingKey]
  var count: Int { place.count }

  func encodeNil() { place.element().set(.null) }

  func encode<T: Encodable>(_ value: T) throws {
    let path = codingPath + [ParameterKey(index: count)]
    try place.element().encode(value, at: path)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder() }

  private func encoder() -> ParameterEncoder {
    let path = codingPath + [ParameterKey(index: count)]
    return ParameterEncoder(place: place.element(), codingPath: path)
  }
}

/// Encodes a value that stands for another one.
struct SingleParameterContainer: SingleValueEncodingContainer {
  let place: ParameterPlace
  let codingPath: [any CodingKey]

  func encodeNil() { place.set(.null) }

  func encode<T: Encodable>(_ value: T) throws { try place.encode(value, at: codingPath) }
}
