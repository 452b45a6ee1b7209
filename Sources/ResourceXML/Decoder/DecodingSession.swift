internal import ResourcePrimitives

/// One call of a decoder, with the tree and its names as coding keys.
final class DecodingSession {
  /// The deepest nesting of values. A type that contains itself can't exhaust a thread's stack.
  static let depthLimit = 200

  let storage: TreeStorage
  let nodes: [TreeNode]
  let decoder: XMLDecoder
  let userInfo: [CodingUserInfoKey: Any]

  /// Keys by number.
  let keys: NameTable
  /// By expanded name: the key for its qualified name.
  let qualified: [UInt32]
  /// By expanded name: the key for its local name.
  let local: [UInt32]
  /// Whether any name is in XML Schema's instance namespace, which defines `nil`.
  let hasNil: Bool
  /// The last node for which a choice had no case.
  var unknownChoice: Int?
  /// The last value that a type read as text and that had none.
  var blank: BlankValue?
  /// The traits of key types that have been looked up, because asking the runtime costs more than
  /// finding a value.
  private var traits: [(type: any CodingKey.Type, traits: KeyTraits)] = []

  init(_ storage: TreeStorage, decoder: XMLDecoder) {
    self.storage = storage
    self.decoder = decoder
    nodes = storage.nodes
    userInfo = decoder.userInfo
    let names = storage.names
    hasNil = names.hasName(in: DecodingSession.instanceURI)
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
    var converted: [UInt32: String] = [:]
    let numbers = names.expanded.map { expanded in
      let entry = names.names.entries[Int(expanded.name)]
      let text = converted[entry.local] ?? strategy.convert(names.names.string(entry.local))
      converted[entry.local] = text
      let local = keys.intern(text)
      guard entry.prefix != 0 else { return (qualified: local, local: local) }
      return (keys.intern("\(names.names.string(entry.prefix)):\(text)"), local)
    }
    return (keys, numbers.map(\.qualified), numbers.map(\.local))
  }
}

extension DecodingSession {
  func match(_ key: String) -> NameMatch {
    if key.utf8.first == UInt8(ascii: "{"),
      let (uri, local) = Substring(key.unicodeScalars.dropFirst()).cut(at: "}")
    {
      return match(String(local), namespace: String(uri))
    }
    guard key.utf8.contains(.colon), let (prefix, local) = key.cut(at: ":") else {
      return NameMatch(name: find(key))
    }
    if let uri = decoder.namespaces[String(prefix)] {
      return match(String(local), namespace: uri)
    }
    return NameMatch(name: find(key), isExact: true)
  }

  private func match(_ local: String, namespace: String) -> NameMatch {
    return NameMatch(
      name: find(local), uri: storage.names.uris.find(namespace) ?? NameMatch.nothing,
      isExpanded: true, isExact: true)
  }

  @inline(__always)
  private func find(_ name: String) -> UInt32 {
    var name = name
    // Every key is looked up here, and copying its bytes would take longer than the search. The
    // bytes aren't kept.
    return name.withUTF8 { unsafe keys.find($0.span) } ?? NameMatch.nothing
  }

  /// Returns how well a node's name matches: 2 exactly, 1 apart from the prefix, 0 not at all.
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
  func traits<Key: CodingKey>(of type: Key.Type) -> KeyTraits {
    for known in traits where known.type == type { return known.traits }
    let asked = KeyTraits(
      isChoice: type is any XMLChoiceCodingKey.Type, isTyped: type is any XMLNodeCodingKey.Type)
    // Searching a short list is faster than asking the runtime.
    if traits.count < 16 { traits.append((type, asked)) }
    return asked
  }
}

extension DecodingSession {
  @inline(__always)
  func withText<T>(of index: Int, _ body: (Span<UInt8>) -> T) -> T {
    let node = nodes[index]
    if !node.isElement || node.length > 0 { return storage.withText(of: node, body) }
    guard Int(node.end) > index + 1 else { return body([UInt8]().span) }
    let text = storage.allText(of: index).bytes
    return body(text.span)
  }

  /// Calls `body` with the text of a value.
  @inline(__always)
  func withText<T>(of index: Int, _ mode: Level.Mode, _ body: (Span<UInt8>) -> T) -> T {
    guard case .listItem(let range) = mode else { return withText(of: index, body) }
    return withText(of: index) { body($0.extracting(range)) }
  }

  /// Returns the text with white space treated as the decoder's strategy says.
  func string(_ index: Int, _ mode: Level.Mode) -> String {
    let node = nodes[index]
    let strategy = decoder.whitespaceStrategy
    if node.isElement, node.length == 0, Int(node.end) > index + 1 {
      let (bytes, kept) = storage.allText(of: index)
      return bytes.span.string(strategy, kept: kept)
    }
    let kept = storage.keptRange(of: node)
    return withText(of: index, mode) { $0.string(strategy, kept: kept) }
  }

  /// Returns whether a node has nothing to decode: an empty element, or one with `xsi:nil`.
  func isNothing(_ index: Int) -> Bool {
    let node = nodes[index]
    if hasNil, isNil(index) { return true }
    guard node.isElement else { return withText(of: index) { $0.isBlank } }
    if node.length > 0 { return storage.withText(of: node) { $0.isBlank } && !hasAttributes(index) }
    return Int(node.end) == index + 1
  }

  /// Returns whether the node of a key has nothing to decode; attributes aren't content.
  func isNothing(_ found: Found) -> Bool {
    guard found.mode == .content, nodes[found.node].isElement else { return isNothing(found.node) }
    if nodes[found.node].length > 0 { return withText(of: found.node) { $0.isBlank } }
    return content(of: found.node).isEmpty
  }

  private func hasAttributes(_ index: Int) -> Bool { Int(nodes[index].end) > index + 1 }

  /// `xsi:nil` (XML Schema, section 2.6.2).
  func isNil(_ index: Int) -> Bool {
    guard hasNil, nodes[index].isElement else { return false }
    var i = index + 1
    while i < Int(nodes[index].end), nodes[i].isAttribute {
      let name = storage.names.name(nodes[i].name)
      if name.local == "nil", name.namespace == DecodingSession.instanceURI {
        return storage.withText(of: nodes[i]) { $0.boolean } ?? false
      }
      i += 1
    }
    return false
  }
}

/// A value without text, read as a scalar.
struct BlankValue: Equatable {
  let node: Int
  let mode: Level.Mode

  init(_ level: Level) { (node, mode) = (level.node, level.mode) }
}

/// The names that a key matches, as numbers in the session's tables.
struct NameMatch: Hashable {
  /// The number of no name.
  static let nothing = UInt32.max

  /// The name as a key, in the session's table.
  var name: UInt32 = NameMatch.nothing
  /// The namespace that the name must have; `nil` for any namespace.
  var uri: UInt32?
  /// Whether `name` is compared with local names only, and `uri` with namespaces.
  var isExpanded = false
  /// Whether the prefix has to match, too.
  var isExact = false
}

/// The protocols of this module to which a type of coding keys conforms.
struct KeyTraits {
  /// Whether the keys choose among elements by name.
  let isChoice: Bool
  /// Whether the keys name the kind of node that they mean.
  let isTyped: Bool
}
