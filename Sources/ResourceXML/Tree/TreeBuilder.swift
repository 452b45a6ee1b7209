/// Makes nodes of findings.
///
/// Text that stands in the document as it is meant stays there, and its node says where. Text that
/// doesn't (references, line ends, runs with a comment between) goes to the side buffer, behind four
/// bytes that say where it came from.
struct TreeBuilder: EventSink {
  /// Text that may go on.
  private enum Pending {
    case none
    /// A range of the document.
    case document(Int, Int)
    /// From here to the end of the side buffer.
    case side(Int)
  }

  /// An element whose end is still to come.
  private struct OpenElement {
    var node: Int
    /// The node behind its attributes: what comes from there on is in it.
    var contentStart: Int
  }

  private(set) var nodes: [TreeNode] = []
  private(set) var side: [UInt8] = []
  private var open: [OpenElement] = []
  private var pending = Pending.none
  /// The document.
  private let source: TreeSource

  init(source: TreeSource) {
    self.source = source
  }

  mutating func startElement(
    _ name: UInt32, _ attributes: [ParsedAttribute], _ bytes: Span<UInt8>, _ scratch: [UInt8],
    _ names: NamespaceTable, at place: Place
  ) throws(Failure) {
    try flush()
    if nodes.count + attributes.count >= nodes.capacity {
      try grow(by: attributes.count + 1, at: place.offset)
    }
    let node = nodes.count
    open.append(OpenElement(node: node, contentStart: node + 1 + attributes.count))
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
            isSide: true))
      }
    }
  }

  mutating func endElement(_ name: UInt32, _ names: NamespaceTable) throws(Failure) {
    guard let element = open.popLast() else { return }
    if nodes.count == element.contentStart {
      setText(of: element.node)
    } else {
      try flush()
    }
    nodes[element.node].end = UInt32(nodes.count)
  }

  @inline(__always)
  mutating func text(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, at place: Place
  ) throws(Failure) {
    if place.isDocument {
      switch pending {
      case .none:
        pending = .document(start, end)
        return
      case .document(let first, start):
        pending = .document(first, end)
        return
      default: break
      }
    }
    toSide(at: place.offset)
    side.append(bytes, from: start, to: end)
    try checkSide(at: place.offset)
  }

  mutating func character(_ scalar: UInt32, at place: Place) throws(Failure) {
    toSide(at: place.offset)
    side.append(scalar: scalar)
    try checkSide(at: place.offset)
  }

  mutating func declaration(_ declaration: XMLEvent.Declaration) {}
  mutating func documentType(_ type: XMLEvent.DocumentType) {}
  mutating func comment(_ text: String) {}
  mutating func processingInstruction(_ target: String, _ data: String) {}
  mutating func skippedEntity(_ name: String) {}
}

extension TreeBuilder {
  /// Makes pending text go on in the side buffer.
  private mutating func toSide(at offset: Int) {
    switch pending {
    case .side: break
    case .none:
      pending = .side(beginSide(at: offset))
    case .document(let start, let end):
      pending = .side(beginSide(at: start))
      source.withSpan { side.append($0, from: start, to: end) }
    }
  }

  /// - Returns: Where text in the side buffer begins, behind the offset that it came from.
  private mutating func beginSide(at offset: Int) -> Int {
    for shift in [0, 8, 16, 24] { side.append(UInt8(truncatingIfNeeded: offset >> shift)) }
    return side.count
  }

  private func checkSide(at offset: Int) throws(Failure) {
    guard side.count < Int(UInt32.max) else {
      throw Failure(.limit, "a tree can't hold so much text", at: offset)
    }
  }

  /// Pending text becomes the text of an element that holds nothing else.
  @inline(__always)
  private mutating func setText(of element: Int) {
    if case .none = pending { return }
    let text = takePending()
    nodes[element].start = text.start
    nodes[element].length = text.length
    nodes[element].isSide = text.isSide
  }

  @inline(__always)
  private mutating func takePending() -> TreeNode {
    defer { pending = .none }
    switch pending {
    case .document(let start, let end):
      return TreeNode(.text, start: start, length: end - start)
    case .side(let start):
      return TreeNode(.text, start: start, length: side.count - start, isSide: true)
    case .none:
      return TreeNode(.text, start: 0)
    }
  }

  @inline(__always)
  private mutating func flush() throws(Failure) {
    if case .none = pending { return }
    let node = takePending()
    if nodes.count == nodes.capacity { try grow(by: 1, at: Int(node.start)) }
    appendLeaf(node)
  }

  @inline(__always)
  private mutating func appendLeaf(_ node: TreeNode) {
    var node = node
    node.end = UInt32(nodes.count + 1)
    nodes.append(node)
  }

  /// Makes room by what the document so far lets expect, so that the last growth is near the need. At
  /// first that is taken for no more than a hint.
  private mutating func grow(by count: Int, at offset: Int) throws(Failure) {
    guard nodes.count + count < TreeNode.nameLimit else {
      throw Failure(.limit, "a tree can't hold so many nodes", at: offset)
    }
    let progress = Double(max(offset, 1)) / Double(max(source.count, 1))
    let expected = Double(nodes.count) / min(max(progress, 0.001), 1) * 1.05
    let least = nodes.count + nodes.count / 4 + count + 16
    let most = nodes.count < 2048 ? 2048 : Int.max
    nodes.reserveCapacity(max(least, min(Int(expected), most)))
  }
}
