extension DecodingSession {
  /// What an array has in one place.
  typealias Item = (node: Int, mode: Level.Mode)

  /// The level of an item of an array.
  func level(of item: Item, at index: Int, in list: Level) -> Level {
    Level(item.node, mode: item.mode, parent: list, key: PositionKey(intValue: index))
  }

  /// The nodes of an array.
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

  /// Whether an element is the only one that its key matches.
  func isOnly(_ level: Level) -> Bool {
    guard level.mode == .group, nodes[level.node].isElement, let parent = level.owner else {
      return false
    }
    return siblings(level, in: parent).count == 1
  }

  /// - Throws: A content error at the second element that a key for one of them matches, if that is wanted.
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

  /// Elements and text. Text that is white space only counts when there is other text.
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
