/// What a tree and its elements share.
final class TreeStorage: Sendable {
  let source: TreeSource
  let side: [UInt8]
  let nodes: [TreeNode]
  let names: NamespaceTable

  init(source: TreeSource, side: [UInt8], nodes: [TreeNode], names: NamespaceTable) {
    self.source = source
    self.side = side
    self.nodes = nodes
    self.names = names
  }

  /// Reads a document to its end.
  ///
  /// - Throws: What is wrong with it.
  convenience init(
    parsing document: TreeSource, encoding: String?, options: XMLOptions
  ) throws(XMLError) {
    var parser = DocumentParser(options: options, encoding: DeclaredEncoding())
    let (source, trouble) = document.decoded(encoding, options, &parser.encoding)
    var builder = TreeBuilder(source: source)
    let error = source.withSpan { bytes in
      TreeStorage.parse(bytes, trouble, &parser, into: &builder)
        .map { XMLError($0, in: bytes, from: TextPosition()) }
    }
    if let error { throw error }
    self.init(
      source: source, side: builder.side, nodes: builder.nodes, names: parser.namespaces)
  }

  /// - Returns: What is wrong with the document; `trouble` if nothing before that is.
  private static func parse(
    _ bytes: Span<UInt8>, _ trouble: Failure?, _ parser: inout DocumentParser,
    into builder: inout TreeBuilder
  ) -> Failure? {
    guard bytes.count < Int(UInt32.max) else {
      return Failure(.limit, "a tree can't hold so large a document", at: 0)
    }
    let good = CharacterCheck().goodEnd(bytes, from: 0, isFinal: true)
    let failure = good.failure ?? trouble
    var end = 0
    do throws(Failure) {
      try parser.parse(
        bytes.extracting(0..<good.end), from: &end, isFinal: failure == nil, into: &builder)
      return failure
    } catch {
      return error
    }
  }
}

extension TreeStorage {
  /// The text of a node that has its own, as the range of a buffer.
  @inline(__always)
  func withText<T>(of node: TreeNode, _ body: (Span<UInt8>) -> T) -> T {
    let range = Int(node.start)..<Int(node.start) + Int(node.length)
    guard node.marks.contains(.side) else { return source.withSpan(of: range, body) }
    let side = side
    return body(side.span.extracting(range))
  }

  /// The text of a node that has its own.
  func string(of node: TreeNode) -> String {
    withText(of: node) { $0.string(0..<$0.count) }
  }

  /// Where a node stands in the document.
  func offset(of node: TreeNode) -> Int {
    node.marks.contains(.side) ? sideNumber(at: Int(node.start) - 4) : Int(node.start)
  }

  private func sideNumber(at start: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(side[start + $1]) << ($1 * 8) }
  }

  /// Where in a node's own text its CDATA sections are, from the first to the last.
  private func literalRange(of node: TreeNode) -> Range<Int>? {
    guard node.marks.contains(.literal) else { return nil }
    guard node.marks.contains(.side) else { return 0..<Int(node.length) }
    let end = Int(node.start) + Int(node.length)
    return sideNumber(at: end)..<sideNumber(at: end + 4)
  }

  /// The line and column of an offset.
  func position(at offset: Int) -> TextPosition {
    source.withSpan { bytes in
      var position = TextPosition()
      position.advance(over: bytes.extracting(0..<min(offset, bytes.count)))
      return position
    }
  }

  /// All the characters in an element, in order.
  func text(of index: Int) -> String {
    let node = nodes[index]
    if node.end == UInt32(index + 1) { return ownText(of: node) }
    return String(decoding: allText(of: index).bytes, as: UTF8.self)
  }

  /// The same in UTF-8, and what of it must keep its white space, from the first to the last of such texts.
  func allText(of index: Int) -> (bytes: [UInt8], kept: Range<Int>?) {
    var bytes: [UInt8] = []
    var kept: Range<Int>?
    for i in index..<Int(nodes[index].end) {
      let inner = nodes[i]
      guard inner.isText || (inner.isElement && hasOwnText(i)) else { continue }
      if let range = keptRange(of: inner) {
        let start = bytes.count + range.lowerBound
        kept = (kept?.lowerBound ?? start)..<bytes.count + range.upperBound
      }
      withText(of: inner) { bytes.append($0, from: 0, to: $0.count) }
    }
    return (bytes, kept)
  }

  /// What of a node's own text must keep its white space.
  func keptRange(of node: TreeNode) -> Range<Int>? {
    node.marks.contains(.preserved) ? 0..<Int(node.length) : literalRange(of: node)
  }

  /// Whether an element's range is its text, not its place. Elements with other nodes have length 0.
  @inline(__always)
  func hasOwnText(_ index: Int) -> Bool { nodes[index].length > 0 }

  func ownText(of node: TreeNode) -> String { node.length == 0 ? "" : string(of: node) }
}
