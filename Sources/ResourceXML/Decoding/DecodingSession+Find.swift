extension DecodingSession {
  /// A node that a key found.
  struct Found {
    var node: Int
    var mode = Level.Mode.group
    var match = NameMatch()
  }

  /// Looks for a key in an element.
  func find(_ key: String, kind: XMLNodeKind, in level: Level) -> Found? {
    guard level.mode != .missing, !level.isText else {
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
  func localName(_ match: NameMatch) -> UInt32 {
    let entry = keys.entries[Int(match.name)]
    return match.isExact && !match.isExpanded && entry.prefix != 0 ? entry.local : match.name
  }

  private func found(_ node: Int, _ match: NameMatch, isExact: Bool) -> Found {
    var match = match
    match.isExact = match.isExact || isExact
    return Found(node: node, match: match)
  }
}
