public import Foundation
internal import ResourcePrimitives

/// A document in memory: elements, attributes and text.
///
/// A tree shares the document's bytes, and takes one to two times their size in addition. It is
/// immutable and can be read on many threads at once. Comments and processing instructions aren't
/// kept; ``XMLEventParser`` reports them.
///
/// ```swift
/// let tree = try XMLTree(parsing: data)
/// for item in tree.root["channel"]?.elements("item") ?? [] {
///   print(item["title"]?.text ?? "")
/// }
/// ```
public struct XMLTree: Sendable {
  let storage: TreeStorage

  /// Reads a document, without copying it if it is in UTF-8.
  ///
  /// - Parameters:
  ///   - data: The whole document.
  ///   - encoding: The charset that came with it, from the `Content-Type` header. A byte order mark
  ///     takes precedence over it, and it takes precedence over the XML declaration (RFC 7303,
  ///     section 3).
  ///   - options: Limits, and whether names have namespaces.
  /// - Throws: ``XMLError`` if the document isn't well-formed or passes a limit.
  public init(
    parsing data: Data, encoding: String? = nil, options: XMLOptions = XMLOptions()
  ) throws(XMLError) {
    storage = try TreeStorage(parsing: .data(data), encoding: encoding, options: options)
  }

  /// Reads a whole document, without copying it if it is in UTF-8.
  package init(
    parsing bytes: [UInt8], encoding: String? = nil, options: XMLOptions = XMLOptions()
  ) throws(XMLError) {
    storage = try TreeStorage(parsing: .bytes(bytes), encoding: encoding, options: options)
  }

  /// The root element.
  public var root: Element { Element(storage: storage, index: 0) }
}

extension XMLTree {
  /// An element of a tree. It keeps the whole tree alive.
  public struct Element: Sendable {
    let storage: TreeStorage
    let index: Int

    private var node: TreeNode { storage.nodes[index] }

    /// Returns whether this element and another one of the same tree are in the same namespace, or
    /// both in none. It doesn't compare the URIs, which may be long.
    package func hasNamespace(of other: Element) -> Bool {
      let expanded = storage.names.expanded
      return expanded[Int(node.name)].uri == expanded[Int(other.node.name)].uri
    }

    /// The element's name.
    public var name: XMLName { storage.names.name(node.name) }

    /// All characters in the element and its descendants, in document order.
    public var text: String { storage.text(of: index) }

    /// The line and column, counted from 1, of the element's text if it has no other content;
    /// otherwise of its tag. Finding them takes time in proportion to the document before it.
    public var position: (line: Int, column: Int) {
      let position = storage.position(at: storage.offset(of: node))
      return (position.line, position.column)
    }

    /// Returns the value of the first attribute whose qualified name, or else whose local name, is
    /// `name`.
    public func attribute(_ name: String, namespace: String? = nil) -> String? {
      let names = storage.names
      guard let number = names.number(of: name) else { return nil }
      let all = attributeNodes
      if let namespace {
        guard let uri = names.number(ofURI: namespace) else { return nil }
        return first(all) { names.hasLocal(number, $0) && names.expanded[Int($0)].uri == uri }
      }
      return first(all) { names.expanded[Int($0)].name == number }
        ?? first(all) { names.hasLocal(number, $0) }
    }

    /// The attributes in the order of the tag, followed by defaults. They include namespace
    /// declarations.
    public var attributes: [(name: XMLName, value: String)] {
      attributeNodes.map {
        let node = storage.nodes[$0]
        return (storage.names.name(node.name), storage.string(of: node))
      }
    }

    /// The value of the first attribute that matches by the number of its expanded name, because a
    /// name may be long and an element may have a thousand.
    private func first(_ range: Range<Int>, where matches: (UInt32) -> Bool) -> String? {
      range.first { matches(storage.nodes[$0].name) }.map { storage.string(of: storage.nodes[$0]) }
    }

    private var attributeNodes: Range<Int> {
      var end = index + 1
      while end < Int(node.end), storage.nodes[end].isAttribute { end += 1 }
      return index + 1..<end
    }
  }
}

extension XMLTree.Element {
  /// The child elements, in document order.
  public var elements: XMLTree.Elements {
    XMLTree.Elements(storage: storage, position: index + 1, end: Int(storage.nodes[index].end))
  }

  /// Returns the child elements with a qualified name, or else those with a local name.
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

  /// The child elements and runs of text in document order, for mixed content. White space is
  /// included. Two runs never follow each other, and none is empty.
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

extension XMLTree {
  /// Whether elements are nested so deep that decoding them into a recursive type may need a larger
  /// stack.
  package var isDeep: Bool {
    var ends: [Int] = []
    for (index, node) in storage.nodes.enumerated() where node.isElement {
      while let end = ends.last, end <= index { ends.removeLast() }
      ends.append(Int(node.end))
      if ends.count > NestingDepth.shallow { return true }
    }
    return false
  }
}

extension XMLTree {
  /// The child elements of an element.
  public struct Elements: Sequence, IteratorProtocol, Sendable {
    let storage: TreeStorage
    var position: Int
    let end: Int

    /// Returns the next element; `nil` after the last one.
    public mutating func next() -> XMLTree.Element? {
      while position < end {
        let index = position
        let node = storage.nodes[index]
        position = Int(node.end)
        if node.isElement { return XMLTree.Element(storage: storage, index: index) }
      }
      return nil
    }
  }

  /// A part of an element's content.
  public enum Content: Sendable {
    /// An element.
    case element(Element)
    /// A run of characters.
    case text(String)
  }
}
