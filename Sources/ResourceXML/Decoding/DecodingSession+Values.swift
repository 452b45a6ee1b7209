extension DecodingSession {
  /// The text of a node, lent.
  @inline(__always)
  func withText<T>(of index: Int, _ body: (Span<UInt8>) -> T) -> T {
    let node = nodes[index]
    if !node.isElement || node.length > 0 { return storage.withText(of: node, body) }
    guard Int(node.end) > index + 1 else { return body([UInt8]().span) }
    let text = storage.allText(of: index).bytes
    return body(text.span)
  }

  /// The text of a value, lent.
  @inline(__always)
  func withText<T>(of index: Int, _ mode: Level.Mode, _ body: (Span<UInt8>) -> T) -> T {
    guard case .listItem(let range) = mode else { return withText(of: index, body) }
    return withText(of: index) { body($0.extracting(range)) }
  }

  /// A string as the strategy wants it.
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

  /// Whether there is nothing to decode: an element that is empty, or says that it is nil.
  func isNothing(_ index: Int) -> Bool {
    let node = nodes[index]
    if hasNil, isNil(index) { return true }
    guard node.isElement else { return withText(of: index) { $0.isBlank } }
    if node.length > 0 { return storage.withText(of: node) { $0.isBlank } && !hasAttributes(index) }
    return Int(node.end) == index + 1
  }

  /// The same for what a key found; attributes aren't content.
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
