/// The storage that a tree and its elements share.
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

  /// - Returns: The first failure in the document; `trouble` if none comes before it.
  private static func parse(
    _ bytes: Span<UInt8>, _ trouble: Failure?, _ parser: inout DocumentParser,
    into builder: inout TreeBuilder
  ) -> Failure? {
    guard bytes.count < Int(clamping: UInt32.max) else {
      return Failure(.limit, "a tree can't hold a document of this size", at: 0)
    }
    let good = bytes.validEnd(from: 0, isFinal: true)
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
  @inline(__always)
  func withText<T>(of node: TreeNode, _ body: (Span<UInt8>) -> T) -> T {
    let range = Int(node.start)..<Int(node.start) + Int(node.length)
    guard node.marks.contains(.side) else { return source.withSpan(of: range, body) }
    let side = side
    return body(side.span.extracting(range))
  }

  func string(of node: TreeNode) -> String {
    withText(of: node) { $0.string(0..<$0.count) }
  }

  func offset(of node: TreeNode) -> Int {
    node.marks.contains(.side) ? sideNumber(at: Int(node.start) - 4) : Int(node.start)
  }

  private func sideNumber(at start: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(side[start + $1]) << ($1 * 8) }
  }

  /// Returns the range of the CDATA sections in a node's own text, from the first to the last.
  private func literalRange(of node: TreeNode) -> Range<Int>? {
    guard node.marks.contains(.literal) else { return nil }
    guard node.marks.contains(.side) else { return 0..<Int(node.length) }
    let end = Int(node.start) + Int(node.length)
    return sideNumber(at: end)..<sideNumber(at: end + 4)
  }

  func position(at offset: Int) -> TextPosition {
    source.withSpan { bytes in
      var position = TextPosition()
      position.advance(over: bytes.extracting(0..<min(offset, bytes.count)))
      return position
    }
  }

  /// Returns all characters in an element, in order.
  func text(of index: Int) -> String {
    let node = nodes[index]
    if node.end == UInt32(index + 1) { return ownText(of: node) }
    return String(decoding: allText(of: index).bytes, as: UTF8.self)
  }

  /// Returns all characters in an element as UTF-8, and the range in which white space is kept.
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

  /// Returns the range of a node's own text in which white space is kept.
  func keptRange(of node: TreeNode) -> Range<Int>? {
    node.marks.contains(.preserved) ? 0..<Int(node.length) : literalRange(of: node)
  }

  /// Returns whether an element's range is its text rather than its tag. Elements with other
  /// content have length 0.
  @inline(__always)
  func hasOwnText(_ index: Int) -> Bool { nodes[index].length > 0 }

  func ownText(of node: TreeNode) -> String { node.length == 0 ? "" : string(of: node) }
}

/// An element, an attribute or a run of text, in 16 bytes. Nodes are in document order: an element,
/// its attributes, its content.
struct TreeNode: Sendable {
  enum Kind: UInt32 {
    case element = 0
    case attribute = 1
    case text = 2
  }

  /// The kind and the marks in the high bits, and the expanded name in the others.
  private var bits: UInt32
  /// The beginning of the text: an attribute's value, a text's characters, or the text of an
  /// element without other content. For other elements, the beginning of the tag.
  var start: UInt32
  var length: UInt32 = 0
  /// The index after the last node in this one.
  var end: UInt32 = 0

  init(_ kind: Kind, name: UInt32 = 0, start: Int, length: Int = 0, marks: Marks = []) {
    bits = kind.rawValue << 30 | marks.rawValue | name
    self.start = UInt32(truncatingIfNeeded: start)
    self.length = UInt32(truncatingIfNeeded: length)
  }

  var kind: Kind { Kind(rawValue: bits >> 30) ?? .text }

  @inline(__always)
  var isElement: Bool { bits >> 30 == 0 }

  @inline(__always)
  var isAttribute: Bool { bits >> 30 == 1 }

  @inline(__always)
  var isText: Bool { bits >> 30 == 2 }

  struct Marks: OptionSet {
    var rawValue: UInt32

    /// The text is in the side buffer and not in the document.
    static let side = Marks(rawValue: 1 << 29)
    /// Some of the text comes from CDATA sections; all of it if it is in the document.
    static let literal = Marks(rawValue: 1 << 28)
    /// The text is in an element with `xml:space="preserve"`.
    static let preserved = Marks(rawValue: 1 << 27)
  }

  @inline(__always)
  var marks: Marks {
    get { Marks(rawValue: bits & (7 << 27)) }
    set { bits = bits & ~(7 << 27) | newValue.rawValue }
  }

  @inline(__always)
  var name: UInt32 { bits & (1 << 27 - 1) }

  /// The most names that a tree can have.
  static let nameLimit = 1 << 27
}
