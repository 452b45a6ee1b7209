/// A queue of waiters in the order of their arrival, from which each one can be removed.
///
/// Every operation takes constant time on average. The memory is that of the largest number that
/// ever waited at the same time; an empty queue keeps hardly any.
package struct FairQueue<Element: Sendable>: Sendable {
  /// Identifies an element, for removing it. It is never used again for another element.
  package struct Ticket: Hashable, Sendable {
    fileprivate let number: Int
  }

  /// The elements by their numbers, which count up.
  private var elements: [Int: Element] = [:]
  /// The number of the element that has waited longest, or of the next one if there is none.
  private var head = 0
  /// The number of the next element.
  private var next = 0

  package init() {}
}

extension FairQueue {
  package var count: Int { elements.count }

  package var isEmpty: Bool { elements.isEmpty }

  /// The element that has waited longest.
  package var first: Element? { elements[head] }

  /// Returns whether a ticket is that of the element that has waited longest.
  package func isFirst(_ ticket: Ticket) -> Bool { !isEmpty && ticket.number == head }

  /// Appends an element, and returns the ticket for removing it.
  @discardableResult
  package mutating func append(_ element: Element) -> Ticket {
    defer { next += 1 }
    elements[next] = element
    return Ticket(number: next)
  }

  /// Removes the element that has waited longest.
  package mutating func popFirst() -> Element? { remove(Ticket(number: head)) }

  /// Removes an element; `nil` if it isn't in the queue anymore.
  @discardableResult
  package mutating func remove(_ ticket: Ticket) -> Element? {
    guard let element = elements.removeValue(forKey: ticket.number) else { return nil }
    if isEmpty {
      head = next
      // It would keep its memory.
      if elements.capacity > 64 { elements = [:] }
    } else {
      while elements[head] == nil { head += 1 }
    }
    return element
  }
}

extension FairQueue: Sequence {
  /// Iterates over the elements, the one that has waited longest first.
  package func makeIterator() -> AnyIterator<Element> {
    AnyIterator(elements.sorted { $0.key < $1.key }.lazy.map(\.value).makeIterator())
  }
}
