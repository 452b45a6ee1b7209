import TestSupport
import Testing

@testable import ResourceCache

/// The order of eviction.
@Suite(.inTurn)
struct LRUCacheTests {
  @Test
  func `the least recently used of a thousand values goes first, however often they were used`() {
    var cache = LRUCache<Int, Int>()
    for number in 0..<1000 { cache[number] = number }
    for _ in 0..<50 { for number in stride(from: 1, to: 1000, by: 2) { _ = cache[number] } }
    cache[500] = nil

    var order: [Int] = []
    while let (key, _) = cache.removeLeastRecent() { order.append(key) }

    let even = stride(from: 0, to: 1000, by: 2).filter { $0 != 500 }
    #expect(order == even + stride(from: 1, to: 1000, by: 2))
  }
}
