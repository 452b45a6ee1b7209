/// What a tree and its elements share.
final class TreeStorage: Sendable {
  let source: [UInt8]
  let side: [UInt8]
  let nodes: [TreeNode]
  let names: NamespaceTable

  init(source: [UInt8], side: [UInt8], nodes: [TreeNode], names: NamespaceTable) {
    self.source = source
    self.side = side
    self.nodes = nodes
    self.names = names
  }

  /// Reads a document to its end.
  ///
  /// - Throws: What is wrong with it.
  convenience init(
    parsing document: [UInt8], encoding: String?, options: XMLOptions
  ) throws(XMLError) {
    var source: [UInt8] = []
    var parser = DocumentParser(options: options, encoding: DeclaredEncoding())
    var builder = TreeBuilder(source: [])
    do throws(Failure) {
      let trouble = TreeStorage.decode(document, encoding, options, into: &source, &parser.encoding)
      let good = CharacterCheck().goodEnd(source.span, from: 0, isFinal: true)
      guard source.count < Int(UInt32.max) else {
        throw Failure(.limit, "a tree can't hold so large a document", at: 0)
      }
      let failure = good.failure ?? trouble
      builder = TreeBuilder(source: source)
      var end = 0
      try parser.parse(
        source.span.extracting(0..<good.end), from: &end, isFinal: failure == nil, into: &builder)
      if let failure { throw failure }
    } catch {
      throw XMLError(error, in: source.span, from: TextPosition())
    }
    self.init(
      source: source, side: builder.side, nodes: builder.nodes, names: parser.namespaces)
  }

  /// Transcodes; UTF-8 is taken as it is.
  private static func decode(
    _ document: [UInt8], _ encoding: String?, _ options: XMLOptions, into source: inout [UInt8],
    _ declared: inout DeclaredEncoding
  ) -> Failure? {
    var input = InputDecoder(external: encoding, sizeLimit: options.limits.documentSize)
    do throws(Failure) {
      try input.decode(document, into: &source)
      declared = input.declared
      return nil
    } catch {
      declared = input.declared
      return error
    }
  }
}

extension TreeStorage {
  /// The text of a node that has its own, as the range of a buffer.
  @inline(__always)
  func withText<T>(of node: TreeNode, _ body: (Span<UInt8>) -> T) -> T {
    let range = Int(node.start)..<Int(node.start) + Int(node.length)
    let buffer = node.isSide ? side : source
    return body(buffer.span.extracting(range))
  }

  /// The text of a node that has its own.
  func string(of node: TreeNode) -> String {
    withText(of: node) { $0.string(0..<$0.count) }
  }

  /// Where a node stands in the document.
  func offset(of node: TreeNode) -> Int {
    guard node.isSide else { return Int(node.start) }
    let start = Int(node.start) - 4
    return (0..<4).reduce(0) { $0 | Int(side[start + $1]) << ($1 * 8) }
  }

  /// The line and column of an offset.
  func position(at offset: Int) -> TextPosition {
    let source = source
    var position = TextPosition()
    position.advance(over: source.span.extracting(0..<min(offset, source.count)))
    return position
  }

  /// All the characters in an element, in order.
  func text(of index: Int) -> String {
    let node = nodes[index]
    if node.end == UInt32(index + 1) { return ownText(of: node) }
    var bytes: [UInt8] = []
    var i = index
    while i < Int(node.end) {
      let inner = nodes[i]
      if inner.isText || (inner.isElement && hasOwnText(i)) {
        withText(of: inner) { bytes.append($0, from: 0, to: $0.count) }
      }
      i += 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether an element's range is its text, not its place. Elements with other nodes have length 0.
  @inline(__always)
  func hasOwnText(_ index: Int) -> Bool { nodes[index].length > 0 }

  func ownText(of node: TreeNode) -> String { node.length == 0 ? "" : string(of: node) }
}
