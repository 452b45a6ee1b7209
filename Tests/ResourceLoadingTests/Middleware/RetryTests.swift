import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RetryTests {
  private static let atOnce = RetryPolicy(maximumAttempts: 3, backoff: .none)

  private func client(
    _ retry: RetryMiddleware, _ answering: Answering,
    clock: any Clock<Duration> = ContinuousClock(),
    timeout: Duration? = nil
  ) -> Client {
    Client(baseURL: nowhere) {
      $0.middleware = [retry, answering]
      $0.clock = clock
      $0.options.timeout = timeout
    }
  }

  @Test(arguments: Form.allCases)
  func `503, 503, then 200 is a success`(_ form: Form) async throws {
    let answering = Answering(statuses: 503, 503, 200)

    let result = await form.load(
      .void(.get("/")), with: client(RetryMiddleware(Self.atOnce), answering))

    #expect(result.failure == nil)
    #expect(answering.requests.count == 3)
  }

  @Test(arguments: Engine.allCases)
  func `the load's error is the last failure and lists every attempt`(_ engine: Engine) async throws
  {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .status(503) } }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [RetryMiddleware(Self.atOnce)]
    }

    let error = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }

    #expect(error?.kind == .status)
    #expect(error?.response?.status == 503)
    #expect(error?.attempts.map(\.outcome) == Array(repeating: "503 Service Unavailable", count: 3))
    #expect(server.requests.count == 3)
  }

  @Test(arguments: Engine.allCases)
  func `a lost connection is retried`(_ engine: Engine) async throws {
    let tries = Mutex(0)
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        let isFirst = tries.withLock { tries in
          tries += 1
          return tries == 1
        }
        return isFirst
          ? [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close]
          : .response(body: "whole")
      }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [RetryMiddleware(Self.atOnce)]
    }

    #expect(try await client.load(.text(.get("/"))) == "whole")
    #expect(server.requests.count == 2)
  }

  @Test func `a POST is sent once`() async throws {
    let answering = Answering(statuses: 503)

    await #expect(throws: LoadError.self) {
      try await client(RetryMiddleware(Self.atOnce), answering).load(.void(.post("/")))
    }

    #expect(answering.requests.count == 1)
  }

  @Test func `waits grow and are random, on a manual clock`() async throws {
    let clock = ManualClock()
    let answering = Answering(statuses: 503)
    let policy = RetryPolicy(maximumAttempts: 5, backoff: Backoff(base: .seconds(1), factor: 2))
    let client = client(
      RetryMiddleware(policy, using: SeededGenerator(seed: 3)), answering, clock: clock)

    async let result = Form.await.load(.void(.get("/")), with: client)
    var waits: [Duration] = []
    for _ in 1...4 {
      try await clock.waitForSleepers(count: 1)
      waits.append(try #require(clock.advanceToNextDeadline()))
    }
    #expect((await result.failure as? LoadError)?.kind == .status)

    var expected = SeededGenerator(seed: 3)
    let rule = policy.backoff
    #expect(waits == (1...4).map { rule.wait(afterFailures: $0, using: &expected) })
    #expect(answering.requests.count == 5)
  }

  @Test func `Retry-After is respected`() async throws {
    let clock = ManualClock()
    let answering = Answering { request, count in
      Response(url: request.url, status: count == 0 ? 429 : 200, headers: [.retryAfter: "30"])
    }
    let client = client(RetryMiddleware(Self.atOnce), answering, clock: clock)

    async let result = Form.await.load(.void(.get("/")), with: client)
    try await clock.waitForSleepers(count: 1)
    let wait = clock.advanceToNextDeadline()

    #expect(wait == .seconds(30))
    #expect(await result.failure == nil)
  }

  @Test func `nothing is sent after the load's time limit`() async throws {
    let clock = ManualClock()
    let answering = Answering(statuses: 503, headers: [.retryAfter: "4"])
    let policy = RetryPolicy(maximumAttempts: 10, backoff: .none)
    let client = client(RetryMiddleware(policy), answering, clock: clock, timeout: .seconds(10))

    async let result = Form.await.load(.void(.get("/")), with: client)
    for _ in 1...2 {
      try await clock.waitForSleepers(count: 2)  // the retry and the time limit
      clock.advanceToNextDeadline()
    }

    // The third attempt fails after 8 seconds; the fourth would begin after 12.
    #expect((await result.failure as? LoadError)?.kind == .status)
    #expect(answering.requests.count == 3)
  }

  @Test func `a load that waits for its next attempt can be cancelled`() async throws {
    let clock = ManualClock()
    let answering = Answering(statuses: 503, headers: [.retryAfter: "30"])
    let load = CancellableLoad(
      .await, .void(.get("/")), with: client(RetryMiddleware(Self.atOnce), answering, clock: clock))

    try await clock.waitForSleepers(count: 1)
    load.cancel()

    #expect(await load.result.failure is CancellationError)
    #expect(answering.requests.count == 1)
  }

  @Test func `an outage isn't amplified`() async throws {
    let answering = Answering(statuses: 503)
    let client = client(RetryMiddleware(RetryPolicy(backoff: .none)), answering)

    await withTaskGroup { group in
      for _ in 1...10_000 {
        group.addTask { _ = await Form.await.load(.void(.get("/")), with: client) }
      }
    }

    let sent = answering.requests.count
    #expect(sent > 10_000)
    #expect(sent <= 11_000)
  }

  @Test func `each origin has its own budget, which recovers`() async throws {
    let answering = Answering { request, _ in
      Response(url: request.url, status: request.url.host() == "down.example" ? 503 : 200)
    }
    let retry = RetryMiddleware(
      RetryPolicy(maximumAttempts: 2, backoff: .none), budget: .init(reserve: 1, ratio: 0.5))
    let client = client(retry, answering)
    func load(_ host: String) async {
      _ = await Form.await.load(.void(URL(string: "https://\(host)/")!), with: client)
    }

    for _ in 1...2 { await load("down.example") }
    #expect(answering.requests.count == 3)
    await load("down.example")
    #expect(answering.requests.count == 5)
    await load("up.example")
    #expect(answering.requests.count == 6)
  }

  @Test func `each retry is an event`() async throws {
    let told = Mutex<[String]>([])
    let answering = Answering(statuses: 503, 200)
    let client = Client(baseURL: nowhere) {
      $0.middleware = [RetryMiddleware(Self.atOnce), answering]
      $0.observer = { event in
        guard case .retrying(let attempt, let wait, let cause) = event.kind else { return }
        told.withLock { $0.append("\(attempt) after \(wait): \(cause)") }
      }
    }

    try await client.load(.void(.get("/")))

    #expect(
      told.withLock(\.self) == ["2 after 0.0 seconds: the server answered 503 Service Unavailable"])
  }

  @Test func `the policy gets the response that it decides about`() async throws {
    let limited: Headers = [.retryAfter: "0", "X-Limit": "7"]
    let answering = Answering { request, count in
      Response(url: request.url, status: 403, headers: count < 2 ? limited : [:])
    }
    let policy = RetryPolicy(maximumAttempts: 9, backoff: .none) { error in
      let response = (error as? LoadError)?.response
      return response?.status == 403 && response?.headers[.retryAfter] != nil
        && response?.headers["X-Limit"] == "7"
    }

    let error = await #expect(throws: LoadError.self) {
      try await client(RetryMiddleware(policy, statuses: [403]), answering).load(.void(.get("/")))
    }

    #expect(error?.kind == .status)
    #expect(answering.requests.count == 3)
  }

  @Test func `the error of a Retry-After beyond the remaining time has both durations`()
    async throws
  {
    let answering = Answering(statuses: 429, headers: [.retryAfter: "90"])

    let late = await #expect(throws: LoadError.self) {
      let client = client(
        RetryMiddleware(Self.atOnce, maximumRetryAfter: .seconds(600)), answering,
        clock: ManualClock(),
        timeout: .seconds(30))
      return try await client.load(.void(.get("/")))
    }
    let long = await #expect(throws: LoadError.self) {
      try await client(RetryMiddleware(Self.atOnce), answering).load(.void(.get("/")))
    }

    #expect(
      late?.reason
        == "the server answered 429 Too Many Requests and asks to wait for 90.0 seconds, but only 30.0 seconds of the load's time are left"
    )
    #expect(
      long?.reason
        == "the server answered 429 Too Many Requests and asks to wait for 90.0 seconds, but maximumRetryAfter is 60.0 seconds"
    )
    #expect(answering.requests.count == 2)
  }
}
