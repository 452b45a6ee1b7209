import Foundation
import ResourceLoading
import Testing

@testable import ResourceInspector

struct LoadLogTests {
  private let request = Request.get("https://example.org/a")

  @Test func `a log keeps the newest loads and counts all`() {
    let log = LoadLog(limit: 3)
    for load in 1...5 as ClosedRange<UInt64> {
      log.note(event(0, .started(request), load: load), event(2, .parsed, load: load))
    }

    let changes = log.changes()

    #expect(changes.records.map(\.key.load) == [3, 4, 5])
    #expect(changes.oldest == 3)
    #expect(changes.totals.begun == 5)
    #expect(changes.totals.succeeded == 5)
    #expect(changes.totals.running == 0)
    #expect(changes.totals.hosts["example.org"]?.latencies.count == 5)
    #expect(log.records([1, 2, 3, 9, -1]).map(\.id) == [3])
  }

  @Test func `a log without a limit takes no more memory than its loads`() {
    let log = LoadLog(limit: .max)
    for load in 1...5 as ClosedRange<UInt64> {
      log.note(event(0, .started(request), load: load), event(2, .parsed, load: load))
    }

    #expect(log.changes().records.map(\.id) == [1, 2, 3, 4, 5])
    #expect(log.records([0, 1, 5, 6, .max, .min]).map(\.id) == [1, 5])
  }

  @Test func `loads that come too fast are only counted`() {
    let log = LoadLog(limit: 3)
    for load in 1...20_000 as ClosedRange<UInt64> {
      log.note(
        event(0, .started(request), load: load),
        event(1, .sent(method: .get, url: request.url), load: load),
        event(2, .parsed, load: load))
    }

    let changes = log.changes()

    // All could only be recorded in 38 seconds.
    #expect(changes.unrecorded > 0)
    #expect(changes.records.count == 3)
    #expect(changes.totals.begun == 20_000)
    #expect(changes.totals.succeeded == 20_000)
    #expect(
      changes.totals.hosts["example.org"]?.latencies.count == 20_000 - changes.unrecorded)
  }

  @Test func `the end of a load that isn't kept is still counted`() {
    let log = LoadLog(limit: 1)
    log.note(
      event(0, .started(request), load: 1), event(0, .started(request), load: 2),
      event(5, .parsed, load: 1))

    #expect(log.changes().totals.running == 1)
    #expect(log.changes().records.map { $0.end == nil } == [true])
  }

  @Test func `loads of several clients with the same number are different`() {
    let log = LoadLog(limit: 10)
    let (one, other) = (log.observer(named: "one"), log.observer(named: "other"))
    one(event(0, .started(request)))
    other(event(0, .started(request)))
    one(event(3, .parsed))

    let changes = log.changes()

    #expect(changes.clients == ["one", "other"])
    #expect(changes.records.map { $0.end == nil } == [false, true])
    #expect(log.id(of: LoadRecord.Key(client: 1, load: 1)) == 2)
  }

  @Test func `a reader gets what has changed since its last change`() {
    let log = LoadLog(limit: 10)
    for load in 1...3 as ClosedRange<UInt64> { log.note(event(0, .started(request), load: load)) }
    let first = log.changes()
    log.note(event(1, .parsed, load: 2))

    let second = log.changes(since: first.change)

    #expect(first.records.map(\.id) == [1, 2, 3])
    #expect(second.records.map(\.id) == [2])
    #expect(log.changes(since: second.change).records.isEmpty)
  }

  @Test func `a slow reader gets the newest loads and the number of the others`() {
    let log = LoadLog(limit: 100)
    for load in 1...50 as ClosedRange<UInt64> { log.note(event(0, .started(request), load: load)) }

    let changes = log.changes(atMost: 5)

    #expect(changes.records.map(\.id) == [46, 47, 48, 49, 50])
    #expect(changes.omitted == 45)
    #expect(changes.change == log.change)
  }

  @Test func `totals count what happened, by kinds of events`() {
    let log = LoadLog(limit: 10)
    log.note(
      event(0, .started(request), load: 1), sent(1), event(2, .completed(200, bytes: 30)),
      event(2, .retrying(attempt: 2, after: .zero, because: "503")), sent(3),
      event(4, .completed(200, bytes: 12)), event(5, .fromCache(.revalidated)),
      event(6, .failed(LoadError(.parsing, "no"))),
      event(0, .started(request), load: 2), event(1, .coalesced, load: 2),
      event(2, .failed(CancellationError()), load: 2),
      event(0, .started(request), load: 3), event(1, .fromCache(.cache(age: .zero)), load: 3),
      event(2, .parsed, load: 3), event(3, .fromCache(.stale(age: .zero, because: .allowed))))

    let totals = log.changes().totals

    #expect((totals.begun, totals.running) == (3, 0))
    #expect((totals.succeeded, totals.failed, totals.cancelled) == (1, 1, 1))
    #expect((totals.requests, totals.retries, totals.coalesced) == (2, 1, 1))
    #expect((totals.fromCache, totals.revalidated, totals.stale) == (1, 1, 1))
    #expect(totals.bytes == 42)
    #expect(totals.failures == [.parsing: 1])
    // The cancelled load says nothing about the host.
    #expect(totals.hosts["example.org"]?.latencies.count == 2)
    #expect(totals.hosts["example.org"]?.failed == 1)
  }

  @Test func `hosts and kinds of failures beyond a number are counted together`() {
    let log = LoadLog(limit: 10)
    for load in 1...200 as ClosedRange<UInt64> {
      let error = LoadError(LoadError.Kind(rawValue: "kind\(load)"), "no")
      log.note(
        event(0, .started(.get("https://host\("\(load)").example/")), load: load),
        event(1, .failed(error), load: load))
    }

    let totals = log.changes().totals

    #expect(totals.hosts.count == LoadTotals.maximumCount + 1)
    #expect(totals.hosts[LoadTotals.otherHosts]?.failed == 200 - LoadTotals.maximumCount)
    #expect(totals.failures.count == LoadTotals.maximumCount + 1)
  }

  @Test func `a request's value is released with its record`() {
    final class Witness: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws {}
    }
    let log = LoadLog(limit: 1)
    weak var witness: Witness?
    do {
      let value = Witness()
      witness = value
      log.note(event(0, .started(.post("https://example.org/").body(.json(value)))))
    }
    #expect(witness != nil)

    log.note(event(0, .started(request), load: 2))

    #expect(witness == nil)
  }
}
