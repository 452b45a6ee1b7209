/// One call of a decoder: the tree, and what its names are as keys.
final class DecodingSession {
  /// How deep values may nest, so that a type that contains itself can't exhaust a thread's stack.
  static let depthLimit = 200

  let storage: TreeStorage
  let nodes: [TreeNode]
  let decoder: XMLDecoder
  let userInfo: [CodingUserInfoKey: Any]

  /// Keys by number.
  private(set) var keys: NameTable
  /// By expanded name: the key that its qualified name is.
  private(set) var qualified: [UInt32]
  /// By expanded name: the key that its local name is.
  private(set) var local: [UInt32]
  /// Whether any name is in XML Schema's instance namespace, where `nil` is.
  let hasNil: Bool

  init(_ storage: TreeStorage, decoder: XMLDecoder) {
    self.storage = storage
    self.decoder = decoder
    nodes = storage.nodes
    userInfo = decoder.userInfo
    let names = storage.names
    keys = names.names
    qualified = names.expanded.map(\.name)
    local = names.expanded.map { names.names.entries[Int($0.name)].local }
    hasNil = names.expanded.contains { names.uris.string($0.uri) == DecodingSession.instanceURI }
    if case .useDefaultKeys = decoder.keyDecodingStrategy { return }
    convertKeys()
  }

  static let instanceURI = "http://www.w3.org/2001/XMLSchema-instance"

  private func convertKeys() {
    keys = NameTable()
    for i in storage.names.expanded.indices {
      let name = storage.names.name(UInt32(i))
      let converted = decoder.keyDecodingStrategy.convert(name.local)
      local[i] = keys.intern(converted)
      qualified[i] = name.prefix.map { keys.intern("\($0):\(converted)") } ?? local[i]
    }
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
