/// The plain types, decoded in place.
extension NodeContainer {
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    guard let found = find(key) else { throw session.missing(key, level) }
    try requireSingle(found, key)
    return session.string(found.node, found.mode)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let found = find(key), !session.isNil(found.node) else { return nil }
    if found.mode == .content, session.isNothing(found) { return nil }
    try requireSingle(found, key)
    return session.string(found.node, found.mode)
  }

  // Inlined, so that the type is known and nothing is looked up at run time for each value.
  @inline(__always)
  private func scalar<T>(
    _ type: T.Type, _ key: Key, _ parse: (Span<UInt8>) -> T?
  ) throws -> T {
    guard let found = find(key) else { throw session.missing(key, level) }
    try requireSingle(found, key)
    if let value = session.withText(of: found.node, found.mode, parse) { return value }
    throw session.mismatch(type, inner(found, key))
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try scalar(type, key) { $0.boolean }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try scalar(type, key) { $0.double }
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try scalar(type, key) { $0.double.map { Float($0) } }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try scalar(type, key) { $0.integer(type) }
  }
}
