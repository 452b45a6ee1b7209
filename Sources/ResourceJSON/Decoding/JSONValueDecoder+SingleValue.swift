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

  func decode(_ type: Int.Type) throws -> Int {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode(_ type: Int8.Type) throws -> Int8 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode(_ type: Int16.Type) throws -> Int16 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode(_ type: Int32.Type) throws -> Int32 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode(_ type: Int64.Type) throws -> Int64 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode(_ type: UInt.Type) throws -> UInt {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode(_ type: UInt8.Type) throws -> UInt8 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode(_ type: UInt16.Type) throws -> UInt16 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode(_ type: UInt32.Type) throws -> UInt32 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode(_ type: UInt64.Type) throws -> UInt64 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type) throws -> Int128 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try container.integer(word) ?? container.slowInteger(word, nil)
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try container.decode(type, word)
  }
}
