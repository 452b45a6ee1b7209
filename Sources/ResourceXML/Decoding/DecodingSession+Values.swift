extension DecodingSession {
  /// The text of a node, lent.
  @inline(__always)
  func withText<T>(of index: Int, _ body: (Span<UInt8>) -> T) -> T {
    let node = nodes[index]
    if !node.isElement || node.length > 0 { return storage.withText(of: node, body) }
    guard Int(node.end) > index + 1 else { return body([UInt8]().span) }
    let text = Array(storage.text(of: index).utf8)
    return body(text.span)
  }

  /// A string as the strategy wants it.
  func string(_ index: Int) -> String {
    withText(of: index) { $0.string(decoder.whitespaceStrategy) }
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
