/// Elements of which the least is taken first.
///
/// Adding and taking one takes time in proportion to the logarithm of their number.
struct Heap<Element: Comparable & Sendable>: Sendable {
  /// A binary tree: the parent of each element, which isn't greater, is at half its position.
  private var elements: [Element] = []

  init(_ elements: [Element] = []) {
    for element in elements { insert(element) }
  }
}

extension Heap {
  var count: Int { elements.count }

  mutating func insert(_ element: Element) {
    var index = elements.endIndex
    elements.append(element)
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the least element; `nil` if there is none.
  mutating func popFirst() -> Element? {
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

  private func lesserChild(of index: Int) -> Int? {
    let (one, other) = (2 * index + 1, 2 * index + 2)
    guard one < elements.endIndex else { return nil }
    return other < elements.endIndex && elements[other] < elements[one] ? other : one
  }
}
