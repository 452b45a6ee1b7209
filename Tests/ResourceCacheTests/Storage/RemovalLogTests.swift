import CacheTestSupport
import ResourceLoading
import TestSupport
import Testing

@testable import ResourceCache

/// The history of removals, and failed removals.
@Suite(.inTurn)
struct RemovalLogTests {
  private let key = CacheKey(url: "a", partition: .anonymous)

  private func covers(
    _ log: RemovalLog, _ key: CacheKey, _ groups: String? = nil, since mark: RemovalMark
  ) -> Bool {
    let response = CacheExchange.stored(groups.map { ["Cache-Groups": $0] } ?? [:])
    return log.covers(response, under: key, since: mark)
  }

  @Test func `a log covers removals since a mark, and not those before`() {
    var log = RemovalLog()
    let early = log.mark
    log.note(.url("a"))
    let late = log.mark
    log.note(.url("b"))

    #expect(covers(log, key, since: early) && !covers(log, key, since: late))
    #expect(covers(log, CacheKey(url: "b", partition: .anonymous), since: late))
    #expect(!covers(log, key, since: log.mark))
    // The mark of another history covers everything.
    #expect(covers(log, key, since: RemovalLog().mark))
  }

  @Test func `a log covers the responses of a removed group`() {
    var log = RemovalLog()
    let early = log.mark
    log.note(.groups([CacheGroup("a", of: CacheExchange.url)]))

    #expect(covers(log, key, "\"b\", \"a\"", since: early))
    #expect(!covers(log, key, "\"b\"", since: early) && !covers(log, key, since: early))
    #expect(!covers(log, key, "\"a\"", since: log.mark))
  }

  @Test func `a failed removal of a group is pending for every key`() {
    var pending = PendingRemovals()
    let scope = CacheScope.groups([CacheGroup("a", of: CacheExchange.url)])
    pending.add(scope)
    pending.add(.url("b"))

    #expect(pending.covering(key) == [scope])
    pending.remove(scope)

    #expect(pending.covering(key).isEmpty)
  }

  @Test func `a mark from before all recorded removals covers everything`() {
    var log = RemovalLog()
    let early = log.mark
    for number in 0..<5000 { log.note(.url("other \(number)")) }
    let late = log.mark
    for number in 0..<RemovalLog.limit { log.note(.url("other \(number)")) }

    #expect(covers(log, key, since: early) && !covers(log, key, since: late))
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
