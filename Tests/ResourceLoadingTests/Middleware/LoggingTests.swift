import Foundation
import PromiseModule
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LoggingTests {
  private let service = StubbedService()
  private let log = Log()

  private final class Log: Sendable {
    private let kept = Mutex<[String]>([])
    var entries: [String] { kept.withLock(\.self) }
    @Sendable func append(_ entry: String) { kept.withLock { $0.append(entry) } }
  }

  private func logging(_ level: LoggingMiddleware.Level = .lines) -> LoggingMiddleware {
    LoggingMiddleware(level, to: log.append)
  }

  private let secretive: Request = {
    Request(
      .post, "/login", query: ["key": "swordfish1", "page": "2"],
      headers: [.authorization: "Bearer swordfish2"],
      body: .json(["user": "ada", "password": "swordfish3"]))
  }()

  @Test func `a load is logged at its beginning and at its end`() async throws {
    service.transport.stub("*", .json("{}").delayed(by: .milliseconds(1_250), clock: service.clock))
    let client = try service.client(logging())

    let load = client.promise(for: Resource.void(.get("/users/1")))
    try await service.clock.waitForSleepers(count: 1, within: .seconds(2))
    service.clock.advance(by: .milliseconds(1_250))
    try await load.get()

    #expect(
      log.entries == [
        "#1 → GET https://api.example.org/users/1",
        "#1 ← 200 OK, 2 bytes in 1.25 s: GET https://api.example.org/users/1",
      ])
  }

  @Test func `a failure is logged with its reason, a cancellation as such`() async throws {
    service.transport.stub("*", .error(LoadError(.connection, "cut")), .never)
    let client = try service.client(logging())

    await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }
    let load = client.promise(for: Resource.void(.get("/")))
    try await service.transport.waitForRequests(count: 2)
    load.cancel()
    try await service.events.wait(for: 2, "failed")

    let target = "GET https://api.example.org/"
    #expect(log.entries[1] == "#1 ✗ connection failed: cut after 0 ms: \(target)")
    #expect(log.entries[3] == "#2 ✗ cancelled after 0 ms: \(target)")
  }

  @Test(arguments: [LoggingMiddleware.Level.curl, .bodies])
  func `the logged body is the one that is sent, by the client's encoder`(
    _ level: LoggingMiddleware.Level
  ) async throws {
    struct Note: Codable, Sendable { var firstLine = "Hello" }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let requests: [Request] = [
      .post("/").json(Note()), .post("/").multipart([.json("note", Note())]),
    ]

    for request in requests {
      let (log, transport) = (Log(), StubTransport())
      transport.stub("*", .status(204))
      let client = Client(baseURL: URL(string: "https://api.example.org")) {
        $0.transport = transport
        $0.encoder = encoder
        $0.middleware = [LoggingMiddleware(level, to: log.append)]
      }
      try await client.load(.void(request))

      let sent = try #require(try transport.requests.first?.body?.data())
      #expect(String(decoding: sent, as: UTF8.self).contains("first_line"))
      #expect(log.entries[0].contains("first_line"), "\(log.entries)")
      #expect(!log.entries[0].contains("firstLine"))
    }
  }

  @Test(arguments: LoggingMiddleware.Level.allCases)
  func `no level shows a secret`(_ level: LoggingMiddleware.Level) async throws {
    let answer = #"{"token": "swordfish4", "echo": "swordfish2"}"#
    let headers: Headers = [.setCookie: "id=swordfish5", .contentType: "application/json"]
    service.transport.stub("*", .response(headers: headers, body: Data(answer.utf8)))
    let client = try service.client(logging(level))

    try await client.load(.void(secretive))

    let text = log.entries.joined(separator: "\n")
    #expect(!text.contains("swordfish"))
    #expect(log.entries.count == (level == .off ? 0 : 2))
    #expect(text.contains("curl") == (level.rawValue >= 2))
    #expect(text.contains(#""token": "<redacted>""#) == (level == .bodies))
    // The cURL line contains the request.
    #expect(text.contains(#""user":"ada""#) == (level.rawValue >= 2))
  }

  @Test func `with an outer retry, each attempt is logged`() async throws {
    service.transport.stub("*", .status(503), .json("ok"))
    let retry = RetryMiddleware(RetryPolicy(maximumAttempts: 2, backoff: .none))

    try await service.client(retry, logging()).load(.void(.get("/")))

    #expect(log.entries.count == 4)
  }

  @Test func `a dry run isn't logged`() async throws {
    _ = try await service.client(logging()).dryRun(Resource.void(.get("/")))

    #expect(log.entries.isEmpty)
  }

  static let kinds: [(LoadEvent.Kind, String)] = [
    (.queued, "queued"),
    (
      .sent(method: .get, url: URL(string: "https://u:p@example.org/?token=abc&a=b")!),
      "sent GET https://<redacted>@example.org/?token=<redacted>&a=b"
    ),
    (
      .started(Request(.put, url: URL(string: "https://example.org/a")!)),
      "started PUT https://example.org/a"
    ),
    (.received(.notFound), "received 404 Not Found"),
    (.completed(.ok, bytes: 17), "completed 200 OK, 17 bytes"),
    (
      .retrying(attempt: 2, after: .seconds(3), because: "503"),
      "retrying, attempt 2 after 3.00 s, because: 503"
    ),
    (.coalesced, "coalesced with a running load"),
    (.refreshingCredential, "waiting for a new credential"),
    (.fromCache(.cache(age: .milliseconds(40))), "from the cache, 40 ms old"),
    (.fromCache(.revalidated), "from the cache, still good"),
    (
      .fromCache(.stale(age: .seconds(3), because: .revalidating)),
      "from the cache, 3.00 s old, stale while revalidating"
    ),
    (.cacheFailed(LoadError(.store, "no room")), "the cache failed: store failed: no room"),
    (.parsed, "parsed"),
    (.failed(LoadError(.timedOut, "too slow")), "failed: timed out: too slow"),
    (.failed(CancellationError()), "cancelled"),
  ]

  @Test(arguments: kinds)
  func `an event is a line`(_ kind: LoadEvent.Kind, _ text: String) {
    let event = LoadEvent(load: 7, elapsed: .milliseconds(12), kind: kind)

    #expect("\(event)" == "#7 +12 ms \(text)")
  }
}
