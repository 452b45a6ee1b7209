import ResourceTesting
import Testing

@testable import ResourcePrimitives

@Suite struct HeapTests {
  @Test func `the least element is removed first, in whatever order they were inserted`() {
    var random = SeededGenerator(seed: 7)
    var (heap, sorted) = (Heap<Int>(), [Int]())

    for _ in 0..<500 {
      if Int.random(in: 0..<3, using: &random) > 0 {
        let number = Int.random(in: 0..<50, using: &random)
        heap.insert(number)
        sorted = (sorted + [number]).sorted()
      } else {
        #expect(heap.popFirst() == (sorted.isEmpty ? nil : sorted.removeFirst()))
      }
      #expect(heap.first == sorted.first && heap.count == sorted.count)
    }
    heap.removeAll { $0.isMultiple(of: 2) }
    sorted.removeAll { $0.isMultiple(of: 2) }

    #expect(sorted.map { _ in heap.popFirst() } == sorted)
  }
}
