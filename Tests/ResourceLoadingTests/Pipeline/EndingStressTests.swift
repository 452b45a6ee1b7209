import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// Loads through all stages that end at random moments: with a response, at their time limit, by
/// cancellation, or with their client.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct EndingStressTests {
  private let transport = StubTransport()

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a load completes once, and nothing continues afterwards`(_ seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    answerAtRandom(seed)
    let base = try #require(URL(string: "https://api.example.org"))
    for _ in 0..<100 {
      try await loadAndClose(makeClient(base, transport), &random)
      try await transport.waitUntilIdle()
    }
  }

  @Test(arguments: Engine.allCases, 1...2 as ClosedRange<UInt64>)
  func `no exchange remains at the server after a client closes`(_ engine: Engine, _ seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    let server = try LoopbackServer {
      LoopbackRoute("GET /a", .silence, .response(body: "{}"), .status(503), .reset)
      LoopbackRoute("GET /b") { _ in
        .drip("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", every: .microseconds(100))
      }
      LoopbackRoute("GET /c") { _ in .redirect(to: "/b") }
    }
    defer { server.stop() }
    for _ in 0..<40 {
      try await loadAndClose(makeClient(server.url(), engine.makeTransport()), &random)
      try await server.wait { $0.inFlight == 0 }
    }
  }

  private func loadAndClose(_ client: Client, _ random: inout SeededGenerator) async throws {
    let plans = (0..<16).map { _ in Plan(&random) }
    let closing = Duration.microseconds(Int.random(in: 0...8_000, using: &random))
    let completions = try await withThrowingTaskGroup(of: Int.self) { group in
      for plan in plans { group.addTask { try await plan.run(with: client) } }
      try await Task.sleep(for: closing)
      client.close()
      return try await group.reduce(0, +)
    }
    #expect(completions == plans.count)
  }

  private func answerAtRandom(_ seed: UInt64) {
    let random = Mutex(SeededGenerator(seed: seed))
    transport.stub("*") { _ in
      let (kind, delay) = random.withLock {
        (Int.random(in: 0..<8, using: &$0), Int.random(in: 0...4_000, using: &$0))
      }
      let answer: StubAnswer =
        switch kind {
        case 0: .never
        case 1: .status(503)
        case 2: .response(status: 401, headers: ["WWW-Authenticate": "Bearer"])
        case 3: .error(LoadError(.connection, "it was lost"))
        default: .json("{}")
        }
      return kind == 0 || delay < 1_000 ? answer : answer.delayed(by: .microseconds(delay))
    }
  }

  private func makeClient(_ base: URL, _ transport: any Transport) -> Client {
    let policy = RetryPolicy(maximumAttempts: 3, backoff: Backoff(base: .milliseconds(1)))
    return Client(baseURL: base) {
      $0.transport = transport
      $0.middleware = [
        CoalescingMiddleware(), RetryMiddleware(policy),
        BearerAuthentication(token: "old") { _, _ in
          try await Task.sleep(for: .microseconds(500))
          return "new"
        },
        RateLimitMiddleware(8, per: .milliseconds(2)),
        ConcurrencyLimitMiddleware(maximumRequestsPerHost: 3),
      ]
    }
  }
}

/// The course of one load.
private struct Plan {
  var form: Form
  var request: Request
  /// The time of its cancellation; `nil` for never.
  var cancel: Duration?

  init(_ random: inout SeededGenerator) {
    form = Form.allCases.randomElement(using: &random) ?? .await
    let path = ["/a", "/b", "/c"].randomElement(using: &random) ?? "/"
    request = Request(.get, RequestPath(path))
      .timeout(.microseconds(Int.random(in: 0...6_000, using: &random)))
    if Bool.random(using: &random) {
      cancel = .microseconds(Int.random(in: 0...4_000, using: &random))
    }
  }

  /// - Returns: The number of its completions.
  func run(with client: Client) async throws -> Int {
    let load = CancellableLoad(form, .void(request), with: client)
    if let cancel {
      try await Task.sleep(for: cancel)
      load.cancel()
    }
    _ = await load.result
    return load.completions
  }
}
