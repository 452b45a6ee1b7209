import ResourceTesting
import Testing

@testable import ResourcePrimitives

@Suite struct FairQueueTests {
  @Test(arguments: [
    ([], 0), ([0], 1), ([1], 0), ([0, 1], 2), ([1, 0], 2), ([2], 0), ([0, 0], 1), ([2, 0, 1], nil),
  ])
  func `the first element is the one that has waited longest`(
    _ leaving: [Int], _ first: Int?
  ) {
    var queue = FairQueue<Int>()
    let tickets = (0..<3).map { queue.append($0) }

    for index in leaving { queue.remove(tickets[index]) }

    #expect(queue.first == first)
    #expect(queue.isFirst(tickets[first ?? 0]) == (first != nil))
  }

  @Test func `the queue equals an array from which elements are removed`() {
    var random = SeededGenerator(seed: 7)
    var queue = FairQueue<Int>()
    var (waiting, tickets): ([Int], [FairQueue<Int>.Ticket]) = ([], [])

    for number in 0..<20_000 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<3:
        tickets.append(queue.append(tickets.count))
        waiting.append(tickets.count - 1)
      case 3, 4:
        #expect(queue.popFirst() == (waiting.isEmpty ? nil : waiting.removeFirst()))
      default:
        // Also tickets of elements that left long ago.
        guard let index = tickets.indices.randomElement(using: &random) else { continue }
        let removed = queue.remove(tickets[index])
        #expect(removed == (waiting.contains(index) ? index : nil))
        waiting.removeAll { $0 == index }
      }
      #expect(queue.count == waiting.count && queue.first == waiting.first)
      if number.isMultiple(of: 100) { #expect(Array(queue) == waiting) }
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `a million elements are removed from the front, the back and the middle`() {
    var queue = FairQueue<Int>()
    let tickets = (0..<1_000_000).map { queue.append($0) }

    for index in stride(from: 999_999, to: 0, by: -3) { queue.remove(tickets[index]) }
    var last = -1
    while let next = queue.popFirst() {
      #expect(next > last)
      last = next
    }

    #expect(last == 999_998 && queue.isEmpty)
  }
}
