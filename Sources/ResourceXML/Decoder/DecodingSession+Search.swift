internal import ResourcePrimitives

extension DecodingSession {
  /// The node that a key was resolved to.
  struct Found {
    var node: Int
    var mode = Level.Mode.group
    var match = NameMatch()
  }

  func find(_ key: String, kind: XMLNodeKind, in level: Level) -> Found? {
    guard level.mode != .missing, !level.isText else {
      return isContent(key) || kind == .content ? Found(node: level.node, mode: level.mode) : nil
    }
    if kind == .content || isContent(key) { return Found(node: level.node, mode: .content) }
    if key.utf8.first == 0x40 {
      return find(match(String(key.unicodeScalars.dropFirst())), kind: .attribute, in: level)
    }
    return find(match(key), kind: kind, in: level)
  }

  /// Whether a key means the content of the element itself.
  @inline(__always)
  func isContent(_ key: String) -> Bool { key.isEmpty || key == "#text" }

  private func find(_ match: NameMatch, kind: XMLNodeKind, in level: Level) -> Found? {
    guard match.name != NameMatch.nothing, nodes[level.node].isElement else { return nil }
    guard let index = level.index(in: self) else {
      return walk(match, kind: kind, in: level.node)
    }
    if kind != .attribute, let element = index.element(match, in: self) {
      return found(element, match, isExact: quality(nodes[element].name, match) == 2)
    }
    return kind == .element ? nil : index.attribute(match, in: self).map { Found(node: $0) }
  }

  /// Scans attributes and children once. An element is preferred to an attribute, an exact name to
  /// one with another prefix.
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

  private func found(_ node: Int, _ match: NameMatch, isExact: Bool) -> Found {
    var match = match
    match.isExact = match.isExact || isExact
    return Found(node: node, match: match)
  }
}

extension DecodingSession {
  /// An item of an array: its node, and how the node is read.
  typealias Item = (node: Int, mode: Level.Mode)

  func level(of item: Item, at index: Int, in list: Level) -> Level {
    Level(item.node, mode: item.mode, parent: list, key: PathKey(index: index))
  }

  func items(of level: Level) -> [Item] {
    switch level.mode {
    case .missing: return []
    case .text, .listItem: return [(level.node, level.mode)]
    case .content: return content(of: level.node)
    case .item: return elements(in: level.node).map { ($0, .item) }
    case .group:
      if nodes[level.node].isAttribute {
        return withText(of: level.node) { $0.listItems }.map { (level.node, .listItem($0)) }
      }
      guard nodes[level.node].isElement, let parent = level.owner else {
        return [(level.node, .group)]
      }
      return siblings(level, in: parent).map { ($0, .item) }
    }
  }

  /// Returns the elements that a key matches, the level's own first.
  private func siblings(_ level: Level, in parent: Level) -> [Int] {
    if let index = parent.index(in: self) {
      return Array(index.elements(level.match, in: self))
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

  /// Whether an element is the only one that its key matches.
  func isOnly(_ level: Level) -> Bool {
    guard level.mode == .group, nodes[level.node].isElement, let parent = level.owner else {
      return false
    }
    return siblings(level, in: parent).count == 1
  }

  /// Checks that a key for one element matches only one, if the decoder's strategy asks for it.
  func requireSingle(_ level: Level) throws {
    guard decoder.repeatedElementStrategy == .fail, level.mode == .group,
      nodes[level.node].isElement, let parent = level.owner
    else { return }
    let all = siblings(level, in: parent)
    guard all.count > 1 else { return }
    let name = storage.names.name(nodes[level.node].name).qualified
    throw corrupted(
      "there are \(all.count) elements “\(name)” where one is expected", level, at: all[1])
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

  /// Returns elements and text. White space between elements is included only if there is other
  /// text.
  func content(of parent: Int) -> [Item] {
    guard nodes[parent].isElement else { return [(parent, .text)] }
    if nodes[parent].length > 0 { return [(parent, .text)] }
    var result: [Item] = []
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
  /// Returns the keys of an element's children and attributes, each once, elements first.
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
