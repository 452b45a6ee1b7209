import TestSupport
import Testing

@testable import ResourceCache

/// What is remembered of removals, and of uses.
@Suite(.inTurn)
struct RemovalLogTests {
  private let key = CacheKey(url: "a", partition: .anonymous)

  @Test func `what was removed since something began counts, and what was before doesn't`() {
    var log = RemovalLog()
    let early = log.mark
    log.note(.url("a"))
    let late = log.mark
    log.note(.url("b"))

    #expect(log.covers(key, since: early) && !log.covers(key, since: late))
    #expect(log.covers(CacheKey(url: "b", partition: .anonymous), since: late))
    #expect(!log.covers(key, since: log.mark))
    // Whose removals aren't known may have removed it.
    #expect(log.covers(key, since: RemovalLog().mark))
  }

  @Test func `what began before all that is remembered counts as removed`() {
    var log = RemovalLog()
    let early = log.mark
    for number in 0..<5000 { log.note(.url("other \(number)")) }
    let late = log.mark
    for number in 0..<RemovalLog.limit { log.note(.url("other \(number)")) }

    #expect(log.covers(key, since: early) && !log.covers(key, since: late))
  }

  @Test func `a removal is owed until it was made up for`() {
    var owed = OwedRemovals()
    owed.owe(.url("a"))
    owed.owe(.partition(CachePartition(name: "x")))

    #expect(owed.due(for: key) == [.url("a")])
    owed.settle(.url("a"))
    #expect(owed.due(for: key).isEmpty)
    #expect(owed.due(for: CacheKey(url: "b", partition: CachePartition(name: "x"))).count == 1)
    owed.settle(.everything)
    #expect(owed.due(for: CacheKey(url: "b", partition: CachePartition(name: "x"))).isEmpty)
  }

  @Test func `the least recent of a thousand is found, however often they were used`() {
    var recency = Recency<Int, Int>()
    for number in 0..<1000 { recency[number] = number }
    for _ in 0..<50 { for number in stride(from: 1, to: 1000, by: 2) { _ = recency[number] } }
    recency[500] = nil

    var order: [Int] = []
    while let (key, _) = recency.removeLeastRecent() { order.append(key) }

    let even = stride(from: 0, to: 1000, by: 2).filter { $0 != 500 }
    #expect(order == even + stride(from: 1, to: 1000, by: 2))
  }
}
