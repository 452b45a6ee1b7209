/// First in, first out, in amortised constant time; empty, it owns no memory.
@usableFromInline
struct Queue<Element> {
  private var outgoing: [Element] = []
  private var incoming: [Element] = []

  @usableFromInline init() {}

  init(_ elements: [Element]) {
    outgoing = elements.reversed()
  }

  var isEmpty: Bool { outgoing.isEmpty && incoming.isEmpty }

  mutating func append(_ element: Element) {
    incoming.append(element)
  }

  mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      swap(&outgoing, &incoming)
      outgoing.reverse()
    }
    return outgoing.popLast()
  }
}

extension Queue: Sendable where Element: Sendable {}
