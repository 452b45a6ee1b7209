/// Builds a tree from the parser's events.
///
/// If text needs no change, its node has its range in the document. Other text (with references,
/// line ends or comments inside) is copied to the side buffer. Four bytes before it have its offset
/// in the document. If it has CDATA sections, eight bytes after it have their range.
struct TreeBuilder: EventSink {
  /// Text that may continue.
  private enum Pending {
    case none
    /// A range of the document, and whether it is in a CDATA section.
    case document(Int, Int, isLiteral: Bool)
    /// The side buffer from an offset to its end.
    case side(Int)
  }

  /// An element whose end hasn't been read.
  private struct OpenElement {
    var node: Int
    /// The first node of its content, after its attributes.
    var contentStart: Int
    /// Whether its text keeps its white space (section 2.10).
    var isPreserved: Bool
  }

  private(set) var nodes: [TreeNode] = []
  private(set) var side: [UInt8] = []
  private var open: [OpenElement] = []
  private var pending = Pending.none
  /// The CDATA sections of pending text in the side buffer.
  private var literal: Range<Int>?
  private let source: TreeSource

  init(source: TreeSource) {
    self.source = source
  }

  mutating func startElement(
    _ name: UInt32, _ attributes: [ParsedAttribute], _ bytes: Span<UInt8>, _ scratch: [UInt8],
    _ names: NamespaceTable, at place: SourceLocation
  ) throws(Failure) {
    try flush(open.last?.isPreserved ?? false)
    if nodes.count + attributes.count >= nodes.capacity {
      try grow(by: attributes.count + 1, at: place.offset)
    }
    guard names.expanded.count < TreeNode.nameLimit else {
      throw Failure(.limit, "a tree can't hold this many names", at: place.offset)
    }
    let node = nodes.count
    open.append(
      OpenElement(
        node: node, contentStart: node + 1 + attributes.count,
        isPreserved: open.last?.isPreserved ?? false))
    nodes.append(TreeNode(.element, name: name, start: place.offset))
    for attribute in attributes {
      if place.isDocument, !attribute.isScratch {
        appendLeaf(
          TreeNode(
            .attribute, name: attribute.expanded, start: attribute.start,
            length: attribute.end - attribute.start))
      } else {
        let start = beginSide(at: place.offset)
        if attribute.isScratch {
          side.append(contentsOf: scratch[attribute.start..<attribute.end])
        } else {
          side.append(bytes, from: attribute.start, to: attribute.end)
        }
        appendLeaf(
          TreeNode(
            .attribute, name: attribute.expanded, start: start, length: side.count - start,
            marks: .side))
      }
      if attribute.name == names.xmlSpace {
        open[open.count - 1].isPreserved = attribute.string(bytes, scratch) == "preserve"
      }
    }
  }

  mutating func endElement(_ name: UInt32, _ names: NamespaceTable) throws(Failure) {
    guard let element = open.popLast() else { return }
    if nodes.count == element.contentStart {
      setText(of: element)
    } else {
      try flush(element.isPreserved)
    }
    nodes[element.node].end = UInt32(nodes.count)
  }

  @inline(__always)
  mutating func text(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, at place: SourceLocation
  ) throws(Failure) {
    if place.isDocument {
      switch pending {
      case .none:
        pending = .document(start, end, isLiteral: place.isLiteral)
        return
      case .document(let first, start, isLiteral: place.isLiteral):
        pending = .document(first, end, isLiteral: place.isLiteral)
        return
      default: break
      }
    }
    toSide(at: place.offset)
    let length = side.count
    side.append(bytes, from: start, to: end)
    if place.isLiteral { addLiteral(length..<side.count) }
    try checkSide(at: place.offset)
  }

  mutating func character(_ scalar: UInt32, at place: SourceLocation) throws(Failure) {
    toSide(at: place.offset)
    let length = side.count
    side.append(scalar: scalar)
    if place.isLiteral { addLiteral(length..<side.count) }
    try checkSide(at: place.offset)
  }

  mutating func declaration(_ declaration: XMLEvent.Declaration) {}
  mutating func documentType(_ type: XMLEvent.DocumentType) {}
  mutating func comment(_ text: String) {}
  mutating func processingInstruction(_ target: String, _ data: String) {}
  mutating func skippedEntity(_ name: String) {}
}

extension TreeBuilder {
  /// Moves pending text to the side buffer.
  private mutating func toSide(at offset: Int) {
    switch pending {
    case .side: break
    case .none:
      pending = .side(beginSide(at: offset))
    case .document(let start, let end, let isLiteral):
      pending = .side(beginSide(at: start))
      let length = side.count
      source.withSpan { side.append($0, from: start, to: end) }
      if isLiteral { addLiteral(length..<side.count) }
    }
  }

  /// - Returns: Where the text in the side buffer begins, after its offset in the document.
  private mutating func beginSide(at offset: Int) -> Int {
    appendSide(number: offset)
    return side.count
  }

  private mutating func appendSide(number: Int) {
    for shift in [0, 8, 16, 24] { side.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private mutating func addLiteral(_ range: Range<Int>) {
    literal = (literal?.lowerBound ?? range.lowerBound)..<range.upperBound
  }

  private func checkSide(at offset: Int) throws(Failure) {
    guard side.count < Int(clamping: UInt32.max) else {
      throw Failure(.limit, "a tree can't hold this much text", at: offset)
    }
  }

  /// Stores pending text as the text of an element without other content.
  @inline(__always)
  private mutating func setText(of element: OpenElement) {
    if case .none = pending { return }
    let text = takePending(element.isPreserved)
    nodes[element.node].start = text.start
    nodes[element.node].length = text.length
    nodes[element.node].marks = text.marks
  }

  @inline(__always)
  private mutating func takePending(_ isPreserved: Bool) -> TreeNode {
    defer { pending = .none }
    var marks: TreeNode.Marks = isPreserved ? .preserved : []
    switch pending {
    case .document(let start, let end, let isLiteral):
      if isLiteral { marks.insert(.literal) }
      return TreeNode(.text, start: start, length: end - start, marks: marks)
    case .side(let start):
      let length = side.count - start
      marks.insert(.side)
      if let literal {
        marks.insert(.literal)
        appendSide(number: literal.lowerBound - start)
        appendSide(number: literal.upperBound - start)
      }
      literal = nil
      return TreeNode(.text, start: start, length: length, marks: marks)
    case .none:
      return TreeNode(.text, start: 0)
    }
  }

  @inline(__always)
  private mutating func flush(_ isPreserved: Bool) throws(Failure) {
    if case .none = pending { return }
    let node = takePending(isPreserved)
    if nodes.count == nodes.capacity { try grow(by: 1, at: Int(node.start)) }
    appendLeaf(node)
  }

  @inline(__always)
  private mutating func appendLeaf(_ node: TreeNode) {
    var node = node
    node.end = UInt32(nodes.count + 1)
    nodes.append(node)
  }

  /// Grows the storage to the size estimated from the document so far, so that little is wasted at
  /// the end. Near the beginning, where the estimate is poor, it grows only a little.
  private mutating func grow(by count: Int, at offset: Int) throws(Failure) {
    guard nodes.count + count < Int(clamping: UInt32.max) else {
      throw Failure(.limit, "a tree can't hold this many nodes", at: offset)
    }
    let progress = Double(max(offset, 1)) / Double(max(source.count, 1))
    let expected = Double(nodes.count) / min(max(progress, 0.001), 1) * 1.05
    let least = nodes.count + nodes.count / 4 + count + 16
    let most = nodes.count < 2048 ? 2048 : Int.max
    nodes.reserveCapacity(max(least, min(Int(expected), most)))
  }
}
