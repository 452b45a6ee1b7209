/// One call of a decoder: the tree, and what its names are as keys.
final class DecodingSession {
  /// How deep values may nest, so that a type that contains itself can't exhaust a thread's stack.
  static let depthLimit = 200

  let storage: TreeStorage
  let nodes: [TreeNode]
  let decoder: XMLDecoder
  let userInfo: [CodingUserInfoKey: Any]

  /// Keys by number.
  let keys: NameTable
  /// By expanded name: the key that its qualified name is.
  let qualified: [UInt32]
  /// By expanded name: the key that its local name is.
  let local: [UInt32]
  /// Whether any name is in XML Schema's instance namespace, where `nil` is.
  let hasNil: Bool
  /// The last node for which a choice had no case.
  var unknownChoice: Int?
  /// What was asked of types of keys before: asking the runtime costs more than finding a value.
  private var manners: [(type: any CodingKey.Type, manners: KeyManners)] = []

  init(_ storage: TreeStorage, decoder: XMLDecoder) {
    self.storage = storage
    self.decoder = decoder
    nodes = storage.nodes
    userInfo = decoder.userInfo
    let names = storage.names
    hasNil = names.expanded.contains { names.uris.string($0.uri) == DecodingSession.instanceURI }
    (keys, qualified, local) = DecodingSession.keys(of: names, decoder.keyDecodingStrategy)
  }

  static let instanceURI = "http://www.w3.org/2001/XMLSchema-instance"

  private static func keys(
    of names: NamespaceTable, _ strategy: XMLDecoder.KeyDecodingStrategy
  ) -> (NameTable, qualified: [UInt32], local: [UInt32]) {
    if case .useDefaultKeys = strategy {
      let local = names.expanded.map { names.names.entries[Int($0.name)].local }
      return (names.names, names.expanded.map(\.name), local)
    }
    var keys = NameTable()
    let converted = names.expanded.indices.map { index in
      let name = names.name(UInt32(index))
      let converted = strategy.convert(name.local)
      let local = keys.intern(converted)
      return (name.prefix.map { keys.intern("\($0):\(converted)") } ?? local, local)
    }
    return (keys, converted.map(\.0), converted.map(\.1))
  }
}

extension DecodingSession {
  /// What a key's name matches.
  func match(_ key: String) -> NameMatch {
    let colon = key.utf8.firstIndex(of: .colon)
    guard colon != nil || key.utf8.first == 0x7B else { return NameMatch(name: find(key)) }
    if key.hasPrefix("{"), let brace = key.firstIndex(of: "}") {
      let uri = String(key[key.index(after: key.startIndex)..<brace])
      return match(String(key[key.index(after: brace)...]), namespace: uri)
    }
    guard let colon else { return NameMatch(name: find(key)) }
    if let uri = decoder.namespaces[String(key[..<colon])] {
      return match(String(key[key.index(after: colon)...]), namespace: uri)
    }
    return NameMatch(name: find(key), isExact: true)
  }

  private func match(_ local: String, namespace: String) -> NameMatch {
    var uri = namespace
    let number = uri.withUTF8 { storage.names.uris.find($0.span) }
    return NameMatch(
      name: find(local), uri: number ?? NameMatch.nothing, isExpanded: true, isExact: true)
  }

  private func find(_ name: String) -> UInt32 {
    var name = name
    return name.withUTF8 { keys.find($0.span) } ?? NameMatch.nothing
  }

  /// How well a node's name matches: 2 exactly, 1 but for its prefix, 0 not.
  @inline(__always)
  func quality(_ expanded: UInt32, _ match: NameMatch) -> Int {
    if match.isExpanded {
      let isSame =
        local[Int(expanded)] == match.name
        && storage.names.expanded[Int(expanded)].uri == match.uri
      return isSame ? 2 : 0
    }
    if qualified[Int(expanded)] == match.name { return 2 }
    return !match.isExact && local[Int(expanded)] == match.name ? 1 : 0
  }
}

extension DecodingSession {
  /// What a type of keys says about itself.
  func manners<Key: CodingKey>(of type: Key.Type) -> KeyManners {
    for known in manners where known.type == type { return known.manners }
    let asked = KeyManners(
      isChoice: type is any XMLChoiceCodingKey.Type, isTyped: type is any XMLNodeCodingKey.Type)
    // A list that is short is searched faster than the runtime answers.
    if manners.count < 16 { manners.append((type, asked)) }
    return asked
  }
}
