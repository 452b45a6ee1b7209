/// The members of an object.
///
/// Every overload is written out: the default ones for optional members search for the member three
/// times.
struct KeyedValues<Key: CodingKey> {
  let object: JSONContainer

  init(_ object: JSONContainer) { self.object = object }

  /// Returns the word of a member; 0 if there is none.
  @inline(__always)
  func find(_ key: Key) -> Int { object.find(key.stringValue) }

  /// Returns the word of a member.
  @inline(__always)
  func word(_ key: Key) throws -> Int {
    let word = find(key)
    guard word != 0 else { throw object.missing(key) }
    return word
  }

  @inline(__always)
  private func integer<Number: FixedWidthInteger>(_ key: Key) throws -> Number {
    let word = try word(key)
    return try object.integer(word) ?? object.slowInteger(word, key)
  }
}

extension KeyedValues: KeyedDecodingContainerProtocol {
  var codingPath: [any CodingKey] { object.codingPath }

  var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { find(key) != 0 }

  func decodeNil(forKey key: Key) throws -> Bool {
    object.document[try word(key)].kind == .null
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    let word = try word(key)
    return try object.bool(word) ?? object.reject(type, word, key)
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let word = try word(key)
    return try object.string(word) ?? object.reject(type, word, key)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    let word = try word(key)
    return try object.double(word) ?? object.slowDouble(word, key)
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    let word = try word(key)
    return try object.float(word, key)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try integer(key) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try object.decode(type, try word(key))
  }
}

extension KeyedValues {
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try object.child(key, at: try word(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try object.child(key, at: try word(key)).unkeyedContainer()
  }

  /// Returns the decoder of the member `super`, or of `null` if there is none.
  func superDecoder() -> any Decoder {
    let key = JSONKey.super
    return object.child(key, at: object.find(key.stringValue))
  }

  /// Returns the decoder of a member, or of `null` if there is none.
  func superDecoder(forKey key: Key) -> any Decoder { object.child(key, at: find(key)) }
}
