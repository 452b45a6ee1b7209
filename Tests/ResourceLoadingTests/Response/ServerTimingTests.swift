import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// `Server-Timing`, beginning with the examples of W3C Server Timing.
@Suite(.inTurn)
struct ServerTimingTests {
  private func timings(_ fields: String...) throws -> [ServerTiming] {
    var response = Response(url: try #require(URL(string: "https://example.org/")))
    for field in fields { response.headers.append("server-timing", field) }
    return response.serverTimings
  }

  @Test func `the recommendation's examples are read`() throws {
    #expect(
      try timings(#"miss, db;dur=53, app;dur=47.2"#, #"customView, dc;desc=atl"#)
        == [
          ServerTiming("miss"), ServerTiming("db", duration: .milliseconds(53)),
          ServerTiming("app", duration: .milliseconds(47.2)), ServerTiming("customView"),
          ServerTiming("dc", description: "atl"),
        ])
    #expect(
      try timings(#"cache;desc="Cache Read";dur=23.2"#)
        == [ServerTiming("cache", duration: .milliseconds(23.2), description: "Cache Read")])
  }

  @Test(arguments: [
    #"a ; dur = 1.5 ; desc = "x, \"y\"; z""#, #"a;DUR=1.5;DESC="x, \"y\"; z";dur=2;desc=b"#,
    #"a;foo;dur=1.5;bar="c,d";desc="x, \"y\"; z""#, #"a;dur="1.5";desc="x, \"y\"; z"#,
    #", ;x=1 ,a;dur=1.5 junk;desc="x, \"y\"; z" junk"#, #"a;;dur=+1.5;desc="x, \"y\"; z","#,
  ])
  func `invalid metrics are skipped, and the first of each name is used`(_ field: String) throws {
    #expect(
      try timings(field)
        == [ServerTiming("a", duration: .milliseconds(1.5), description: #"x, "y"; z"#)])
  }

  @Test(arguments: ["nan", "inf", "0x10", "1e300", "1.5x", "", "-"])
  func `a duration that isn't a number is ignored`(_ text: String) throws {
    #expect(try timings("a;dur=\(text)").first == ServerTiming("a"))
  }

  @Test func `numbers and lengths are limited`() throws {
    let many = Array(repeating: "a;dur=1", count: 1000).joined(separator: ",")
    let long = String(repeating: "x", count: 5000)

    #expect(try timings(many, many).count == 64)
    #expect(try timings("a;desc=\"\(long)\"")[0].description?.count == 256)
    #expect(try timings(long)[0].name.count == 256)
    #expect(try timings("a;desc=\"\u{1B}[2J\"")[0].description == "\\u{1B}[2J")
  }

  @Test func `the measurements of an exchange have them`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /", .response(headers: ["Server-Timing": "db;dur=53"], body: "1"))
    }
    defer { server.stop() }
    let measured = Mutex<[ExchangeMetrics]>([])
    let client = Client(baseURL: server.url("/")) {
      $0.observer = { event in
        guard case .measured(let metrics) = event.kind else { return }
        measured.withLock { $0.append(metrics) }
      }
    }

    _ = try await client.load(.text(.get("/")))

    let all = measured.withLock { $0 }
    let metrics = try #require(all.first)
    #expect(metrics.serverTimings == [ServerTiming("db", duration: .milliseconds(53))])
    #expect(metrics.description.contains("server: db 0.053 seconds"))
  }
}
