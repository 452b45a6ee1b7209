/// The elements of an array.
///
/// It is three words in size, so that `any UnkeyedDecodingContainer` holds it without allocating.
struct UnkeyedValues {
  private let array: JSONContainer
  private let elements: UInt32
  private var position: UInt32 = 0
  /// The word of the next element.
  private var word: Int

  init(_ array: JSONContainer) {
    self.array = array
    word = array.word + 2
    elements = UInt32(truncatingIfNeeded: array.document.count(of: array.word))
  }

  /// Reads the next element, and advances if that succeeds.
  @inline(__always)
  private mutating func next<Value>(
    _ type: Any.Type, _ body: (JSONContainer, Int, JSONKey) throws -> Value
  ) throws -> Value {
    guard position < elements else { throw end(type) }
    array.note(word, position: currentIndex)
    let value = try body(array, word, .position(currentIndex))
    advance()
    return value
  }

  @inline(__always)
  private mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    try next(type) { array, word, key in try array.integer(word) ?? array.slowInteger(word, key) }
  }

  @inline(__always)
  private mutating func advance() {
    word = array.document.next(word)
    position &+= 1
  }

  private func end(
    _ type: Any.Type, _ description: String = "Unkeyed container is at end."
  ) -> DecodingError {
    array.notFound(type, array.word, description, JSONKey.position(currentIndex))
  }
}

extension UnkeyedValues: UnkeyedDecodingContainer {
  var codingPath: [any CodingKey] { array.codingPath }

  var count: Int? { Int(elements) }

  var currentIndex: Int { Int(position) }

  var isAtEnd: Bool { position >= elements }

  mutating func decodeNil() throws -> Bool {
    guard position < elements else { throw end(Never.self) }
    guard array.document[word].kind == .null else { return false }
    advance()
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    try next(type) { array, word, key in try array.bool(word) ?? array.reject(type, word, key) }
  }

  mutating func decode(_ type: String.Type) throws -> String {
    try next(type) { array, word, key in try array.string(word) ?? array.reject(type, word, key) }
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    try next(type) { array, word, key in try array.double(word) ?? array.slowDouble(word, key) }
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    try next(type) { array, word, key in try array.float(word, key) }
  }

  mutating func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next(type) { array, word, _ in try array.decode(type, word) }
  }
}

extension UnkeyedValues {
  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next(KeyedDecodingContainer<NestedKey>.self) { array, word, key in
      try array.child(key, at: word).container(keyedBy: type)
    }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next((any UnkeyedDecodingContainer).self) { array, word, key in
      try array.child(key, at: word).unkeyedContainer()
    }
  }

  mutating func superDecoder() throws -> any Decoder {
    guard !isAtEnd else {
      throw end(
        (any Decoder).self, "Cannot get superDecoder() -- unkeyed container is at end.")
    }
    return try next((any Decoder).self) { array, word, key in array.child(key, at: word) }
  }
}
