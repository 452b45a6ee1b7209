/// A queue of waiters in the order of their arrival, from which each one can be removed.
///
/// Every operation takes constant time. The memory is that of the largest number that ever waited
/// at the same time; an empty queue keeps hardly any.
package struct FairQueue<Element: Sendable>: Sendable {
  /// Identifies an element, for removing it. It is never used again for another element.
  package struct Ticket: Hashable, Sendable {
    fileprivate let slot: Int
    fileprivate let number: Int
  }

  /// A node of a doubly linked list; a free one has no element.
  private struct Slot {
    var element: Element?
    var number: Int
    var previous: Int?
    var next: Int?
  }

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var head: Int?
  private var tail: Int?
  private var lastNumber = 0

  /// The number of elements.
  package private(set) var count = 0

  /// Creates an empty queue.
  package init() {}
}

extension FairQueue {
  /// Whether there are no elements.
  package var isEmpty: Bool { count == 0 }

  /// The element that has waited longest.
  package var first: Element? { head.flatMap { slots[$0].element } }

  /// Returns whether a ticket is that of the element that has waited longest.
  package func isFirst(_ ticket: Ticket) -> Bool { slot(of: ticket).map { $0 == head } ?? false }

  /// Appends an element.
  ///
  /// - Returns: The ticket for removing it.
  @discardableResult
  package mutating func append(_ element: Element) -> Ticket {
    lastNumber += 1
    let slot = Slot(element: element, number: lastNumber, previous: tail)
    let index = freeSlots.popLast() ?? slots.endIndex
    if index == slots.endIndex { slots.append(slot) } else { slots[index] = slot }
    if let tail { slots[tail].next = index } else { head = index }
    tail = index
    count += 1
    return Ticket(slot: index, number: lastNumber)
  }

  /// Removes the element that has waited longest.
  package mutating func popFirst() -> Element? { head.flatMap { remove(at: $0) } }

  /// Removes an element; `nil` if it isn't in the queue any more.
  @discardableResult
  package mutating func remove(_ ticket: Ticket) -> Element? {
    slot(of: ticket).flatMap { remove(at: $0) }
  }

  private func slot(of ticket: Ticket) -> Int? {
    guard slots.indices.contains(ticket.slot), slots[ticket.slot].number == ticket.number,
      slots[ticket.slot].element != nil
    else { return nil }
    return ticket.slot
  }

  private mutating func remove(at index: Int) -> Element? {
    let slot = slots[index]
    slots[index] = Slot(element: nil, number: slot.number)
    if let previous = slot.previous { slots[previous].next = slot.next } else { head = slot.next }
    if let next = slot.next { slots[next].previous = slot.previous } else { tail = slot.previous }
    count -= 1
    if isEmpty, slots.count > Self.keptSlots {
      (slots, freeSlots) = ([], [])
    } else {
      freeSlots.append(index)
    }
    return slot.element
  }

  /// The maximum number of slots that an empty queue keeps.
  private static var keptSlots: Int { 16 }
}

extension FairQueue: Sequence {
  /// Iterates over the elements, the one that has waited longest first.
  package func makeIterator() -> AnyIterator<Element> {
    var index = head
    return AnyIterator {
      guard let current = index else { return nil }
      index = slots[current].next
      return slots[current].element
    }
  }
}
