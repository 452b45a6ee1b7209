import Foundation
import ResourceLoading
import ResourceTesting
import Testing

@testable import ResourceInspector

struct LoadReportTests {
  private func report(_ log: LoadLog) -> InspectorReport {
    InspectorReport(log, hasDetails: true)
  }

  @Test func `a load is described by its request and its end`() {
    let log = LoadLog(limit: 10)
    _ = log.observer(named: "shop")
    let request = Request.get("https://user:pass@Example.org:8443/a/b?x=1&token=abc123")
    log.note(
      event(0, .started(request)), sent(1, "https://example.org:8443/a/b?x=1&token=abc123"),
      event(30, .received(404)), event(50, .completed(404, bytes: 9)),
      event(51, .failed(LoadError(.status, "the server answered 404 Not Found"))))

    let load = report(log).loads[0]

    #expect(load.client == "shop")
    #expect(load.method == "GET")
    #expect(load.host == "Example.org:8443")
    #expect(load.target == "/a/b?x=1&token=<redacted>")
    #expect(load.state == .failed)
    #expect(load.status == 404)
    #expect(load.failure == "status")
    #expect(load.reason == "unaccepted status: the server answered 404 Not Found")
    #expect(load.duration == 51)
    #expect(load.bytes == 9)
    #expect(load.exchanges.map(\.phases.count) == [2])
    #expect(load.details?.error?.contains("404 Not Found") == true)
    #expect(load.details?.curl.contains("<redacted>@") == true)
  }

  @Test func `secrets of the request are replaced wherever they come back`() throws {
    let log = LoadLog(limit: 10)
    _ = log.observer(named: "")
    let secret = "s3cr3t-value-in-a-header"
    let request = Request.get("https://example.org/a").header("X-Api-Key", secret)
    log.note(
      event(0, .started(request)), sent(1, "https://example.org/moved/\(secret)"),
      event(2, .retrying(attempt: 2, after: .zero, because: "the server said \(secret)")),
      event(3, .cacheFailed(LoadError(.store, "no room for \(secret)"))),
      event(4, .failed(LoadError(.connection, "lost \(secret)"))))

    let json = String(decoding: try report(log).json(), as: UTF8.self)

    #expect(!json.contains(secret))
    #expect(json.contains("the server said <redacted>"))
    let archive = try ArchiveReport(log.changes().records, since: log.date).json()
    #expect(!String(decoding: archive, as: UTF8.self).contains(secret))
  }

  @Test func `what can't be seen is escaped`() {
    let log = LoadLog(limit: 10)
    _ = log.observer(named: "a\u{202E}b\u{7}")
    log.note(
      event(0, .started(.get("https://example.org/a"))),
      event(4, .failed(LoadError(.connection, "bell \u{7}\u{1B}[31m"))))

    let load = report(log).loads[0]

    #expect(load.client == #"a\u{202E}b\u{7}"#)
    #expect(load.reason?.contains("\u{1B}") == false)
  }

  @Test func `a coalesced load names the load that it shares, if that is kept`() {
    let log = LoadLog(limit: 10)
    var shared = event(1, .coalesced, load: 2)
    shared.sharedLoad = 1
    var lost = event(1, .coalesced, load: 3)
    lost.sharedLoad = 77
    let request = Request.get("https://example.org/a")
    log.note(
      event(0, .started(request), load: 1), event(0, .started(request), load: 2), shared,
      event(0, .started(request), load: 3), lost)

    #expect(report(log).loads.map(\.sharedLoad) == [nil, 1, nil])
    #expect(report(log).loads.map(\.isCoalesced) == [false, true, true])
  }

  @Test func `a response of the cache says so`() {
    let log = LoadLog(limit: 10)
    log.note(
      event(0, .started(.get("https://example.org/a"))), event(1, .fromCache(.revalidated)),
      event(2, .parsed))

    #expect(report(log).loads[0].source == "revalidated")
    #expect(report(log).totals.revalidated == 1)
  }

  @Test func `latencies are reported by host`() {
    let log = LoadLog(limit: 10)
    for load in 1...100 as ClosedRange<UInt64> {
      log.note(
        event(0, .started(.get("https://example.org/a")), load: load),
        event(Int(load), .parsed, load: load))
    }

    let host = report(log).hosts[0]

    #expect(host.host == "example.org")
    #expect(host.loads == 100)
    #expect((50...53.2).contains(host.median))
    #expect((90...95.7).contains(host.p90))
    #expect((99...100).contains(host.p99))
    #expect(host.maximum == 100)
  }

  @Test func `a body that wasn't kept is named by its size`() {
    let log = LoadLog(limit: 10)
    log.note(
      event(
        0, .started(.post("https://example.org/a").body(.data(Data(count: 9_999))))))

    #expect(report(log).loads[0].details?.curl.hasSuffix("--data-binary '<9999 bytes>'") == true)
  }

  @Test func `an archive has an entry for each exchange, which others can read`() throws {
    let log = LoadLog(limit: 10)
    var metrics = ExchangeMetrics(ended: .milliseconds(30))
    metrics.connected = .milliseconds(4)
    metrics.secured = .milliseconds(9)
    metrics.firstByte = .milliseconds(20)
    metrics.httpVersion = "HTTP/2"
    let request = Request.get("https://example.org/a?b=c").header("Authorization", "Bearer x")
    log.note(
      event(0, .started(request)), sent(1, "https://example.org/a?b=c"),
      event(31, .received(503)), event(31, .measured(metrics)),
      event(31, .completed(503, bytes: 12)),
      event(31, .retrying(attempt: 2, after: .zero, because: "503")), sent(40),
      event(60, .failed(LoadError(.connection, "the server left"))))

    let json = try ArchiveReport(log.changes().records, since: log.date).json()
    let archive = try JSONDecoder().decode(HTTPArchive.self, from: json)

    #expect(archive.entries.map(\.response.status) == [503, 0])
    #expect(archive.entries[0].request.headers[.authorization] == "<redacted>")
    #expect(archive.entries[0].request.httpVersion == "HTTP/2")
    #expect(archive.entries[0].timings.ssl == .milliseconds(5))
    #expect(archive.entries[0].timings.connect == .milliseconds(9))
    #expect(archive.entries[0].timings.wait == .milliseconds(11))
    #expect(archive.entries[0].timings.receive == .milliseconds(10))
    #expect(archive.entries[1].failure?.reason.contains("the server left") == true)
    #expect(archive.entries[1].comment == "load 1, retry")
  }
}
