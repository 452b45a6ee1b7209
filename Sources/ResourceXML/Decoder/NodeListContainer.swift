/// Decodes the items of an array one after another.
struct NodeListContainer: UnkeyedDecodingContainer {
  let session: DecodingSession
  let level: Level
  private let items: [DecodingSession.Item]
  private(set) var currentIndex = 0

  init(session: DecodingSession, level: Level) {
    self.session = session
    self.level = level
    items = session.items(of: level)
  }

  var codingPath: [any CodingKey] { level.codingPath }
  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex >= items.count }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, session.isNothing(items[currentIndex].node) else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try session.decode(type, at: try item(type))
    currentIndex += 1
    return value
  }

  mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? {
    guard !isAtEnd else { return nil }
    let value = try session.decode(T?.self, at: try item(type))
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let item = try item(Nested.self)
    currentIndex += 1
    return KeyedDecodingContainer(NodeContainer<Nested>(session: session, level: item))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let item = try item([Int].self)
    currentIndex += 1
    return NodeListContainer(session: session, level: item)
  }

  mutating func superDecoder() throws -> any Decoder {
    let item = try item((any Decoder).self)
    currentIndex += 1
    return NodeDecoder(session: session, level: item)
  }
}

extension NodeListContainer {
  private func item(_ type: Any.Type) throws -> Level {
    guard !isAtEnd else { throw session.exhausted(type, level, index: currentIndex) }
    return session.level(of: items[currentIndex], at: currentIndex, in: level)
  }
}

// The most frequent types, as in ``NodeContainer``.
extension NodeListContainer {
  mutating func decode(_ type: String.Type) throws -> String {
    guard !isAtEnd else { throw session.exhausted(type, level, index: currentIndex) }
    defer { currentIndex += 1 }
    let item = items[currentIndex]
    return session.string(item.node, item.mode)
  }

  @inline(__always)
  private mutating func scalar<T>(
    _ type: T.Type, _ parse: (Span<UInt8>) -> T?
  ) throws -> T {
    guard !isAtEnd else { throw session.exhausted(type, level, index: currentIndex) }
    let next = items[currentIndex]
    guard let value = session.withText(of: next.node, next.mode, parse) else {
      throw session.mismatch(type, try item(type))
    }
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try scalar(type) { $0.boolean } }

  mutating func decode(_ type: Double.Type) throws -> Double { try scalar(type) { $0.double } }

  mutating func decode(_ type: Int.Type) throws -> Int { try scalar(type) { $0.integer(type) } }

  mutating func decode(_ type: Int64.Type) throws -> Int64 { try scalar(type) { $0.integer(type) } }
}

/// Decodes a single value.
struct NodeValueContainer: SingleValueDecodingContainer {
  let session: DecodingSession
  let level: Level

  var codingPath: [any CodingKey] { level.codingPath }

  func decodeNil() -> Bool { level.mode == .missing || session.isNothing(level.node) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try session.decode(type, at: level.deeper)
  }

  func decode(_ type: String.Type) throws -> String {
    try session.requireSingle(level)
    let text = session.string(level.node, level.mode)
    if text.isEmpty { session.blank = BlankValue(level) }
    return text
  }

  func decode(_ type: Bool.Type) throws -> Bool { try scalar(type) { $0.boolean } }

  func decode(_ type: Double.Type) throws -> Double { try scalar(type) { $0.double } }

  func decode(_ type: Float.Type) throws -> Float {
    try scalar(type) { $0.double.map { Float($0) } }
  }

  @inline(__always)
  private func scalar<T>(_ type: T.Type, _ parse: (Span<UInt8>) -> T?) throws -> T {
    try session.requireSingle(level)
    if let value = session.withText(of: level.node, level.mode, parse) { return value }
    session.blank = BlankValue(level)
    throw session.mismatch(type, level)
  }

  func decode(_ type: Int.Type) throws -> Int { try scalar(type) { $0.integer(type) } }

  func decode(_ type: Int8.Type) throws -> Int8 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: Int16.Type) throws -> Int16 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: Int32.Type) throws -> Int32 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: Int64.Type) throws -> Int64 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt.Type) throws -> UInt { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt8.Type) throws -> UInt8 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt16.Type) throws -> UInt16 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt32.Type) throws -> UInt32 { try scalar(type) { $0.integer(type) } }

  func decode(_ type: UInt64.Type) throws -> UInt64 { try scalar(type) { $0.integer(type) } }
}
