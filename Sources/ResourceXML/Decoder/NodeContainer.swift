internal import ResourcePrimitives

/// The decoder that is passed to a type's own initialiser.
struct NodeDecoder: TextualDecoder {
  let session: DecodingSession
  let level: Level

  var codingPath: [any CodingKey] { level.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try session.requireSingle(level)
    return KeyedDecodingContainer(NodeContainer(session: session, level: level))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    NodeListContainer(session: session, level: level)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    NodeValueContainer(session: session, level: level)
  }
}

struct NodeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let session: DecodingSession
  let level: Level
  private let traits: KeyTraits

  init(session: DecodingSession, level: Level) {
    self.session = session
    self.level = level
    traits = session.traits(of: Key.self)
  }

  var codingPath: [any CodingKey] { level.codingPath }

  var allKeys: [Key] {
    if traits.isChoice, isOneOfSeveral {
      if let ownKey { return [ownKey] }
      session.unknownChoice = level.node
      return []
    }
    return session.names(in: level).compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    find(key).map { session.isNothing($0) } ?? true
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let found = find(key) else {
      if let empty = (type as? any EmptyValue.Type)?.init() as? T { return empty }
      throw session.missing(key, level)
    }
    return try session.decode(type, at: inner(found, key))
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let found = find(key) else { return nil }
    if session.isNothing(found) {
      if session.isNil(found.node) { return nil }
      let level = inner(found, key)
      if type is any EmptyValue.Type {
        // A single empty element counts as an empty list, which can't be written in any other way.
        guard session.isOnly(level) else { return try session.decode(type, at: level) }
        return (type as? any EmptyValue.Type)?.init() as? T
      }
      // If this element's own content is empty, it is missing; an empty child element isn't.
      return found.node == self.level.node ? nil : try session.decodeBlank(type, at: level)
    }
    return try session.decode(type, at: inner(found, key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(NodeContainer<Nested>(session: session, level: try required(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    guard let found = find(key) else {
      let nothing = Level(level.node, mode: .missing, parent: level, key: key)
      return NodeListContainer(session: session, level: nothing)
    }
    return NodeListContainer(session: session, level: inner(found, key))
  }

  /// Returns the decoder of the element `super`, or of this element if there is none, because most
  /// formats have the properties of a class and of its superclass side by side.
  func superDecoder() throws -> any Decoder {
    let key = PathKey("super")
    guard let found = session.find(key.stringValue, kind: .element, in: level) else {
      return NodeDecoder(session: session, level: level)
    }
    let level = Level(found.node, mode: found.mode, match: found.match, parent: level, key: key)
    return NodeDecoder(session: session, level: level)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    NodeDecoder(session: session, level: try required(key))
  }
}

extension NodeContainer {
  @inline(__always)
  func find(_ key: Key) -> DecodingSession.Found? {
    if traits.isChoice, isOneOfSeveral { return findSelf(key) }
    let kind = traits.isTyped ? (key as? any XMLNodeCodingKey)?.node ?? .any : .any
    let name = key.stringValue
    if let found = session.find(name, kind: kind, in: level) { return found }
    // `_0`, the compiler's key for the value of an enum case, means the element itself.
    return name == "_0" ? DecodingSession.Found(node: level.node, mode: .item) : nil
  }

  private func required(_ key: Key) throws -> Level {
    guard let found = find(key) else { throw session.missing(key, level) }
    return inner(found, key)
  }

  func inner(_ found: DecodingSession.Found, _ key: Key) -> Level {
    let inner = Level(found.node, mode: found.mode, match: found.match, parent: level, key: key)
    if found.mode == .content { inner.isClaimed = { Key(stringValue: $0) != nil } }
    return inner
  }

  @inline(__always)
  func requireSingle(_ found: DecodingSession.Found, _ key: Key) throws {
    if session.decoder.repeatedElementStrategy == .first { return }
    try session.requireSingle(inner(found, key))
  }

  /// Whether the keys choose by the node itself instead of its content.
  private var isOneOfSeveral: Bool { level.mode == .item || level.isText }

  private func findSelf(_ key: Key) -> DecodingSession.Found? {
    let node = session.nodes[level.node]
    if level.isText {
      return session.isContent(key.stringValue)
        ? DecodingSession.Found(node: level.node, mode: level.mode) : nil
    }
    let match = session.match(key.stringValue)
    guard match.name != NameMatch.nothing, session.quality(node.name, match) > 0 else { return nil }
    return DecodingSession.Found(node: level.node, mode: .item)
  }

  private var ownKey: Key? {
    if level.isText { return Key(stringValue: "") ?? Key(stringValue: "#text") }
    let name = session.nodes[level.node].name
    return Key(stringValue: session.keys.string(session.qualified[Int(name)]))
      ?? Key(stringValue: session.keys.string(session.local[Int(name)]))
  }
}

// The most frequent types are read from the node's text without another decoder. Each integer type
// has its own function, because a generic one isn't specialised and takes a third longer.
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

  // Inlined so that the type is known and needn't be looked up at run time for each value.
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

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try scalar(type, key) { $0.integer(type) }
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try scalar(type, key) { $0.integer(type) }
  }
}
