extension KeyedValues {
  /// Returns the word of a member; 0 if there is none, or it is `null`.
  @inline(__always)
  private func present(_ key: Key) -> Int {
    let word = find(key)
    return object.document[word].kind == .null ? 0 : word
  }

  @inline(__always)
  private func integer<Number: FixedWidthInteger>(_ key: Key) throws -> Number? {
    let word = present(key)
    return word == 0 ? nil : try object.integer(word) ?? object.slowInteger(word, key)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    let word = present(key)
    return word == 0 ? nil : try object.bool(word) ?? object.reject(type, word, key)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    let word = present(key)
    return word == 0 ? nil : try object.string(word) ?? object.reject(type, word, key)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    let word = present(key)
    return word == 0 ? nil : try object.double(word) ?? object.slowDouble(word, key)
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    let word = present(key)
    return word == 0 ? nil : try object.float(word, key)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try integer(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try integer(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try integer(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try integer(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try integer(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try integer(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try integer(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try integer(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try integer(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try integer(key) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try integer(key) }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try integer(key)
  }

  func decodeIfPresent<Value: Decodable>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    let word = present(key)
    return word == 0 ? nil : try object.decode(type, word)
  }
}
