import Foundation
import ResourceLoading
import Testing

@testable import ResourceInspector

struct LoadRecordTests {
  @Test func `a measured exchange has the phases that its engine measured`() {
    var metrics = ExchangeMetrics(ended: .milliseconds(95))
    metrics.began = .milliseconds(5)
    metrics.nameLookedUp = .milliseconds(15)
    metrics.connected = .milliseconds(25)
    metrics.secured = .milliseconds(45)
    metrics.firstByte = .milliseconds(80)

    let record = record(
      event(2, .queued), sent(10), event(92, .received(200)), event(100, .measured(metrics)),
      event(105, .completed(200, bytes: 7)), event(110, .parsed))

    #expect(
      record.exchanges[0].phases(until: .seconds(9)) == [
        phase(.queue, 2, 10), phase(.queue, 10, 15), phase(.connect, 15, 35), phase(.tls, 35, 55),
        phase(.wait, 55, 90), phase(.body, 90, 105),
      ])
    #expect(record.parsing == phase(.parse, 105, 110))
    #expect(record.status == 200)
  }

  @Test func `without measurements there is the time to the head and that of the body`() {
    let record = record(
      sent(0), event(30, .received(200)), event(50, .completed(200, bytes: 7)),
      event(50, .parsed))

    #expect(
      record.exchanges[0].phases(until: .seconds(9)) == [
        phase(.wait, 0, 30), phase(.body, 30, 50),
      ])
    #expect(record.parsing == nil)
  }

  @Test func `a running exchange waits until now`() {
    let record = record(sent(10))

    let phases = record.exchanges[0].phases(until: .milliseconds(70))

    #expect(phases == [phase(.wait, 10, 70)])
    #expect(record.end == nil)
  }

  @Test func `measurements that exceed the exchange don't overlap its end`() {
    var metrics = ExchangeMetrics(ended: .milliseconds(95))
    metrics.connected = .milliseconds(60)
    metrics.firstByte = .milliseconds(900)

    let record = record(
      sent(0), event(50, .measured(metrics)), event(50, .received(200)),
      event(50, .completed(200, bytes: 0)), event(50, .parsed))

    #expect(record.exchanges[0].phases(until: .zero) == [phase(.connect, 0, 50)])
  }

  @Test func `each exchange has the reason for which it was sent`() {
    let record = record(
      sent(0), event(1, .received(302)), event(1, .completed(302, bytes: 0)),
      sent(2), event(3, .received(401)), event(3, .completed(401, bytes: 0)),
      event(3, .refreshingCredential),
      sent(4), event(5, .retrying(attempt: 2, after: .seconds(1), because: "503")),
      sent(6), event(7, .received(200)), event(7, .completed(200, bytes: 3)),
      event(8, .parsed), sent(9), event(10, .received(304)),
      event(10, .completed(304, bytes: 0)))

    #expect(
      record.exchanges.map(\.reason) == [.first, .redirect, .authentication, .retry, .revalidation])
    #expect(record.exchanges.map(\.hasFailed) == [false, false, true, false, false])
    #expect(record.exchanges.map { $0.status?.rawValue } == [302, 401, nil, 200, 304])
    #expect(record.status == 200)
    #expect(record.end?.time == .milliseconds(8))
    #expect(record.remarks.count == 2)
  }

  @Test func `a second request after a plain response is a further one`() {
    let record = record(
      sent(0), event(1, .received(206)), event(1, .completed(206, bytes: 3)), sent(2))

    #expect(record.exchanges.map(\.reason) == [.first, .further])
  }

  @Test func `a failure ends the exchange that runs and keeps its story`() {
    var failure = LoadError(.connection, "the server left", underlying: URLError(.badURL))
    failure.serverMessage = "bye"
    let record = record(
      sent(0), event(4, .received(200)), event(9, .failed(failure)), event(10, .parsed))

    #expect(record.exchanges[0].hasFailed)
    #expect(record.exchanges[0].ended == .milliseconds(9))
    guard case .failed(let kept) = record.end?.outcome else {
      Issue.record("no failure")
      return
    }
    #expect(kept.description == failure.description)
    #expect(kept.underlying == nil)
  }

  @Test func `a cancelled load is no failed one`() {
    let record = record(sent(0), event(4, .failed(CancellationError())))

    guard case .cancelled = record.end?.outcome else {
      Issue.record("not cancelled")
      return
    }
    #expect(record.exchanges[0].hasFailed)
  }

  @Test func `a coalesced load knows whose exchange it shares`() {
    var shared = event(3, .coalesced)
    shared.sharedLoad = 12

    let record = record(shared, event(9, .parsed))

    #expect(record.isCoalesced)
    #expect(record.sharedLoad == 12)
    #expect(record.exchanges.isEmpty)
  }

  @Test func `a large body isn't kept, but its size is`() {
    let small = Request.post("https://example.org/a").body(.data(Data(count: 4096)))
    let large = Request.post("https://example.org/a").body(.data(Data(count: 4097)))
    let parts = Request.post("https://example.org/a").body(
      .multipart(Multipart([.field("a", "b"), .data("c", Data(count: 5000))])))

    #expect(record(of: small).request.body != nil)
    #expect(record(of: large).request.body == nil)
    #expect(record(of: large).omittedBodySize == 4097)
    #expect(record(of: parts).omittedBodySize ?? 0 >= 5000)
  }

  @Test func `a load that retries forever takes bounded memory`() {
    var record = record()
    for attempt in 0..<1000 {
      record.note(sent(attempt))
      record.note(event(attempt, .retrying(attempt: attempt + 2, after: .zero, because: "503")))
    }

    #expect(record.exchanges.count == LoadRecord.maximumCount)
    #expect(record.remarks.count == LoadRecord.maximumCount)
    #expect(record.omitted == 2 * (1000 - LoadRecord.maximumCount))
  }

  private func phase(
    _ name: ExchangeRecord.Phase.Name, _ start: Int, _ end: Int
  ) -> ExchangeRecord.Phase {
    ExchangeRecord.Phase(name: name, start: .milliseconds(start), end: .milliseconds(end))
  }
}
