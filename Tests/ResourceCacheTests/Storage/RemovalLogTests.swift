import TestSupport
import Testing

@testable import ResourceCache

/// The history of removals, and failed removals.
@Suite(.inTurn)
struct RemovalLogTests {
  private let key = CacheKey(url: "a", partition: .anonymous)

  @Test func `a log covers removals since a mark, and not those before`() {
    var log = RemovalLog()
    let early = log.mark
    log.note(.url("a"))
    let late = log.mark
    log.note(.url("b"))

    #expect(log.covers(key, since: early) && !log.covers(key, since: late))
    #expect(log.covers(CacheKey(url: "b", partition: .anonymous), since: late))
    #expect(!log.covers(key, since: log.mark))
    // The mark of another history covers everything.
    #expect(log.covers(key, since: RemovalLog().mark))
  }

  @Test func `a mark from before all recorded removals covers everything`() {
    var log = RemovalLog()
    let early = log.mark
    for number in 0..<5000 { log.note(.url("other \(number)")) }
    let late = log.mark
    for number in 0..<RemovalLog.limit { log.note(.url("other \(number)")) }

    #expect(log.covers(key, since: early) && !log.covers(key, since: late))
  }

  @Test(arguments: [CachePartition.anonymous, CachePartition(name: "x")])
  func `a failed removal of each scope is pending for the keys that it covers`(
    partition: CachePartition
  ) {
    let key = CacheKey(url: "a", partition: partition)
    let others = ["a", "b"].flatMap { url in
      ["", "x", "y"].map { CacheKey(url: url, partition: CachePartition(name: $0)) }
    }
    for scope: CacheScope in [
      .entry(key), .url("a"), .partition(partition), .credentials, .everything,
    ] {
      var pending = PendingRemovals()
      pending.add(scope)
      for other in others {
        #expect(pending.covering(other) == (scope.covers(other) ? [scope] : []))
      }
    }
  }

  @Test func `a failed removal is pending until it succeeds`() {
    var pending = PendingRemovals()
    let other = CacheKey(url: "b", partition: CachePartition(name: "x"))
    pending.add(.url("a"))
    pending.add(.partition(other.partition))

    #expect(pending.covering(key) == [.url("a")])
    pending.remove(.url("a"))
    #expect(pending.covering(key).isEmpty)
    #expect(pending.covering(other).count == 1)
    pending.remove(.everything)
    #expect(pending.covering(other).isEmpty)
  }
}
