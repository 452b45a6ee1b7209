/// The decoder of one value.
///
/// It is two words in size, one of them a reference, so that `any Decoder` and `any
/// SingleValueDecodingContainer` hold it without allocating.
struct JSONValueDecoder {
  /// The container of the value.
  let container: JSONContainer
  /// The word of the value.
  let word: Int

  @inline(__always)
  init(_ container: JSONContainer, at word: Int) {
    self.container = container
    self.word = word
  }

  @inline(__always)
  var document: JSONDocument { container.document }
}

extension JSONValueDecoder: Decoder {
  var codingPath: [any CodingKey] { container.path(to: word) }

  var userInfo: [CodingUserInfoKey: Any] { document.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedValues<Key>(try object(type)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { UnkeyedValues(try array()) }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder {
  private func object(_ keys: any CodingKey.Type) throws -> JSONContainer {
    switch document[word].kind {
    case .object: return JSONContainer(objectAt: self, keys)
    case .null:
      throw container.notFound(
        [String: Any].self, word,
        "Cannot get keyed decoding container -- found null value instead")
    default: throw container.mismatch([String: Any].self, word)
    }
  }

  private func array() throws -> JSONContainer {
    switch document[word].kind {
    case .array: return JSONContainer(arrayAt: self)
    case .null:
      throw container.notFound(
        [Any].self, word, "Cannot get unkeyed decoding container -- found null value instead")
    default: throw container.mismatch([Any].self, word)
    }
  }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { document[word].kind == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    try container.bool(word) ?? container.reject(type, word, nil)
  }

  func decode(_ type: String.Type) throws -> String {
    try container.string(word) ?? container.reject(type, word, nil)
  }

  func decode(_ type: Double.Type) throws -> Double {
    try container.double(word) ?? container.slowDouble(word, nil)
  }

  func decode(_ type: Float.Type) throws -> Float { try container.float(word, nil) }

  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type) throws -> Int128 { try integer() }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try container.decode(type, word)
  }

  @inline(__always)
  private func integer<Number: FixedWidthInteger>() throws -> Number {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }
}
