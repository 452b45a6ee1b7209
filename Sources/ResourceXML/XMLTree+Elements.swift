extension XMLTree {
  /// The elements in an element, one after the other.
  public struct Elements: Sequence, IteratorProtocol, Sendable {
    let storage: TreeStorage
    var position: Int
    let end: Int

    /// The next element, `nil` behind the last.
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

  /// What an element may hold.
  public enum Content: Sendable {
    /// An element.
    case element(Element)
    /// A run of characters.
    case text(String)
  }
}
