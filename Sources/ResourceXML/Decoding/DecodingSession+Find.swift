extension DecodingSession {
  /// A node that a key found.
  struct Found {
    var node: Int
    var mode = Level.Mode.group
    var match = NameMatch()
  }

  /// Looks for a key in an element.
  func find(_ key: String, kind: XMLNodeKind, in level: Level) -> Found? {
    guard level.mode != .missing, level.mode != .text else {
      return isContent(key) || kind == .content ? Found(node: level.node, mode: level.mode) : nil
    }
    if kind == .content || isContent(key) { return Found(node: level.node, mode: .content) }
    if key.utf8.first == 0x40 {
      return find(match(String(key.dropFirst())), kind: .attribute, in: level)
    }
    return find(match(key), kind: kind, in: level)
  }

  /// Whether a key stands for the content of the element itself.
  @inline(__always)
  func isContent(_ key: String) -> Bool { key.isEmpty || key == "#text" }

  private func find(_ match: NameMatch, kind: XMLNodeKind, in level: Level) -> Found? {
    guard match.name != NameMatch.nothing, nodes[level.node].isElement else { return nil }
    if kind != .attribute, let index = level.index(in: self) {
      if let found = find(match, in: index) { return found }
      return kind == .element ? nil : walk(match, kind: .attribute, in: level.node)
    }
    return walk(match, kind: kind, in: level.node)
  }

  /// One walk over attributes and children: an element before an attribute, an exact name before
  /// another prefix.
  private func walk(_ match: NameMatch, kind: XMLNodeKind, in parent: Int) -> Found? {
    var element: Int?
    var attribute: (node: Int, quality: Int)?
    var i = parent + 1
    let end = Int(nodes[parent].end)
    while i < end {
      let node = nodes[i]
      if node.isElement, kind != .attribute {
        let quality = quality(node.name, match)
        if quality == 2 { return found(i, match, isExact: true) }
        if quality == 1, element == nil { element = i }
      } else if node.isAttribute {
        let quality = kind == .element ? 0 : quality(node.name, match)
        if quality > attribute?.quality ?? 0 { attribute = (i, quality) }
      } else if kind == .attribute {
        break
      }
      i = Int(node.end)
    }
    if let element { return found(element, match, isExact: false) }
    return attribute.map { Found(node: $0.node) }
  }

  private func find(_ match: NameMatch, in index: ChildIndex) -> Found? {
    var loose: Int?
    for child in index.children(localName(match)) {
      let quality = quality(nodes[child].name, match)
      if quality == 2 { return found(child, match, isExact: true) }
      if quality == 1, loose == nil { loose = child }
    }
    return loose.map { found($0, match, isExact: false) }
  }

  /// The key that elements with the name are sorted by.
  private func localName(_ match: NameMatch) -> UInt32 {
    let entry = keys.entries[Int(match.name)]
    return match.isExact && !match.isExpanded && entry.prefix != 0 ? entry.local : match.name
  }

  private func found(_ node: Int, _ match: NameMatch, isExact: Bool) -> Found {
    var match = match
    match.isExact = match.isExact || isExact
    return Found(node: node, match: match)
  }
}

extension DecodingSession {
  /// The nodes of an array.
  func items(of level: Level) -> [(node: Int, mode: Level.Mode)] {
    switch level.mode {
    case .missing: return []
    case .text: return [(level.node, .text)]
    case .content: return content(of: level.node)
    case .item: return elements(in: level.node).map { ($0, .item) }
    case .group:
      guard nodes[level.node].isElement, let parent = level.owner else {
        return [(level.node, .group)]
      }
      return siblings(level, in: parent).map { ($0, .item) }
    }
  }

  /// The elements that a key matches, the level's first.
  private func siblings(_ level: Level, in parent: Level) -> [Int] {
    if let index = parent.index(in: self) {
      return index.children(localName(level.match)).filter { isMember(nodes[$0], level.match) }
    }
    var result: [Int] = []
    var i = level.node
    let end = Int(nodes[parent.node].end)
    while i < end {
      if nodes[i].isElement, isMember(nodes[i], level.match) { result.append(i) }
      i = Int(nodes[i].end)
    }
    return result
  }

  private func isMember(_ node: TreeNode, _ match: NameMatch) -> Bool {
    quality(node.name, match) > 0
  }

  private func elements(in parent: Int) -> [Int] {
    var result: [Int] = []
    var i = parent + 1
    while i < Int(nodes[parent].end) {
      if nodes[i].isElement { result.append(i) }
      i = Int(nodes[i].end)
    }
    return result
  }

  /// Elements and text. Text that is white space only counts when there is other text.
  func content(of parent: Int) -> [(node: Int, mode: Level.Mode)] {
    guard nodes[parent].isElement else { return [(parent, .text)] }
    if nodes[parent].length > 0 { return [(parent, .text)] }
    var result: [(node: Int, mode: Level.Mode)] = []
    var isMixed = false
    var i = parent + 1
    while i < Int(nodes[parent].end) {
      let node = nodes[i]
      if !node.isAttribute { result.append((i, node.isText ? .text : .item)) }
      if node.isText { isMixed = isMixed || !storage.withText(of: node) { $0.isBlank } }
      i = Int(node.end)
    }
    return isMixed ? result : result.filter { $0.mode == .item }
  }
}

extension DecodingSession {
  /// The keys of what an element has, each once, elements before attributes.
  func names(in level: Level) -> [String] {
    guard level.mode != .missing, nodes[level.node].isElement else { return [] }
    var seen: Set<UInt32> = []
    var elements: [String] = []
    var attributes: [String] = []
    var i = level.node + 1
    while i < Int(nodes[level.node].end) {
      let node = nodes[i]
      i = Int(node.end)
      guard !node.isText, seen.insert(qualified[Int(node.name)]).inserted else { continue }
      let name = keys.string(qualified[Int(node.name)])
      if node.isElement {
        elements.append(name)
      } else if !isDeclaration(node) {
        attributes.append(name)
      }
    }
    return elements + attributes
  }

  /// Whether an attribute declares a namespace.
  private func isDeclaration(_ node: TreeNode) -> Bool {
    let names = storage.names
    let name = names.expanded[Int(node.name)].name
    return name == names.xmlns || names.names.entries[Int(name)].prefix == names.xmlns
  }
}
