extension XMLTree {
  /// An element of a tree. It keeps the whole tree alive.
  public struct Element: Sendable {
    let storage: TreeStorage
    let index: Int

    private var node: TreeNode { storage.nodes[index] }

    /// The element's name.
    public var name: XMLName { storage.names.name(node.name) }

    /// All the characters in the element, those of elements in it included, in document order.
    public var text: String { storage.text(of: index) }

    /// Where the element stands: at its text when it holds nothing but text, else at its tag. Finding
    /// it reads the document up to there. Both are counted from 1.
    public var position: (line: Int, column: Int) {
      let position = storage.position(at: storage.offset(of: node))
      return (position.line, position.column)
    }

    /// The value of the first attribute whose qualified name, or else whose local name, is `name`.
    public func attribute(_ name: String, namespace: String? = nil) -> String? {
      let all = attributeNodes
      if let namespace {
        return first(all) { $0.local == name && $0.namespace == namespace }
      }
      return first(all) { $0.qualified == name } ?? first(all) { $0.local == name }
    }

    /// The attributes in the order of the tag, defaults behind them, namespace declarations included.
    public var attributes: [(name: XMLName, value: String)] {
      attributeNodes.map {
        let node = storage.nodes[$0]
        return (storage.names.name(node.name), storage.string(of: node))
      }
    }

    private func first(_ range: Range<Int>, where matches: (XMLName) -> Bool) -> String? {
      range.first { matches(storage.names.name(storage.nodes[$0].name)) }
        .map { storage.string(of: storage.nodes[$0]) }
    }

    private var attributeNodes: Range<Int> {
      var end = index + 1
      while end < Int(node.end), storage.nodes[end].isAttribute { end += 1 }
      return index + 1..<end
    }
  }
}

extension XMLTree.Element {
  /// The elements in this one, in document order.
  public var elements: XMLTree.Elements {
    XMLTree.Elements(storage: storage, position: index + 1, end: Int(storage.nodes[index].end))
  }

  /// Those with a name: its qualified form as the document writes it, or its local part.
  ///
  /// - Parameters:
  ///   - name: The qualified name; with `namespace`, the local name.
  ///   - namespace: The URI that the name must be bound to.
  public func elements(_ name: String, namespace: String? = nil) -> [XMLTree.Element] {
    if let namespace {
      return elements.filter { $0.name.local == name && $0.name.namespace == namespace }
    }
    let exact = elements.filter { $0.name.qualified == name }
    return exact.isEmpty ? elements.filter { $0.name.local == name } : exact
  }

  /// The first element of a name, as in ``elements(_:namespace:)``.
  public subscript(name: String) -> XMLTree.Element? {
    elements(name).first
  }

  /// Elements and runs of text in this element, in document order, white space included, for mixed content. Each
  /// run is whole: two never follow each other, and none is empty.
  public var content: [XMLTree.Content] {
    if storage.nodes[index].length > 0 { return [.text(text)] }
    var result: [XMLTree.Content] = []
    var i = index + 1
    while i < Int(storage.nodes[index].end) {
      let node = storage.nodes[i]
      if node.isText {
        result.append(.text(storage.string(of: node)))
      } else if node.isElement {
        result.append(.element(XMLTree.Element(storage: storage, index: i)))
      }
      i = Int(node.end)
    }
    return result
  }
}
