/// The attributes and elements of an element, by key.
struct NodeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let session: DecodingSession
  let level: Level
  private let manners: KeyManners

  init(session: DecodingSession, level: Level) {
    self.session = session
    self.level = level
    manners = session.manners(of: Key.self)
  }

  var codingPath: [any CodingKey] { level.codingPath }

  var allKeys: [Key] {
    if manners.isChoice, isOneOfSeveral {
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
      let isList = type is any EmptyValue.Type
      if !isList || session.isNil(found.node) { return nil }
      // A list of one empty element is taken for an empty list, since otherwise it couldn't be told.
      if session.isOnly(inner(found, key)), let empty = (type as? any EmptyValue.Type)?.init() as? T
      {
        return empty
      }
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

  func superDecoder() throws -> any Decoder { NodeDecoder(session: session, level: level) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    NodeDecoder(session: session, level: try required(key))
  }
}

extension NodeContainer {
  @inline(__always)
  func find(_ key: Key) -> DecodingSession.Found? {
    if manners.isChoice, isOneOfSeveral { return findSelf(key) }
    let kind = manners.isTyped ? (key as? any XMLNodeCodingKey)?.node ?? .any : .any
    let name = key.stringValue
    if let found = session.find(name, kind: kind, in: level) { return found }
    // The compiler's name for the value of a case: it is the element itself.
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

  /// Whether the node itself is what the keys choose, and not what is in it.
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
