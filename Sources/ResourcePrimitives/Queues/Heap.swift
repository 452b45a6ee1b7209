/// Elements of which the least is removed first: a binary heap.
///
/// Inserting and removing one takes time in proportion to the logarithm of their number.
package struct Heap<Element: Comparable> {
  /// A binary tree: the parent of each element, which isn't greater, is at half its position.
  private var elements: [Element]

  package init(_ elements: [Element] = []) {
    // A sorted array is a heap.
    self.elements = elements.sorted()
  }
}

extension Heap: Sendable where Element: Sendable {}

extension Heap {
  package var count: Int { elements.count }

  /// The least element; `nil` if there is none.
  package var first: Element? { elements.first }

  package func contains(where isWanted: (Element) -> Bool) -> Bool {
    elements.contains(where: isWanted)
  }

  package mutating func insert(_ element: Element) {
    var index = elements.endIndex
    elements.append(element)
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes and returns the least element; `nil` if there is none.
  @discardableResult
  package mutating func popFirst() -> Element? {
    guard !elements.isEmpty else { return nil }
    elements.swapAt(0, elements.endIndex - 1)
    let first = elements.removeLast()
    var index = 0
    while let child = lesserChild(of: index), elements[child] < elements[index] {
      elements.swapAt(index, child)
      index = child
    }
    return first
  }

  package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    self = Heap(elements.filter { !isUnwanted($0) })
  }

  private func lesserChild(of index: Int) -> Int? {
    let (one, other) = (2 * index + 1, 2 * index + 2)
    guard one < elements.endIndex else { return nil }
    return other < elements.endIndex && elements[other] < elements[one] ? other : one
  }
}
