import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LongestWaitTests {
  @Test func `a wait beyond any clock's range ends with the load's time and doesn't crash`()
    async throws
  {
    let transport = StubTransport()
    transport.stub("*", .status(200))
    let url = try #require(URL(string: "https://api.example.org"))
    let client = Client(baseURL: url) {
      $0.transport = transport
      $0.middleware = [RateLimitMiddleware(1, per: .seconds(Int64.max))]
    }
    try await client.load(.void(.get("/")))

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(Request.get("/").timeout(.milliseconds(50))))
    }

    #expect(error?.kind == .timedOut)
    #expect(transport.requests.count == 1)
  }

  /// The largest and smallest durations.
  private static let extremes: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max),
    Duration(attoseconds: .min), .seconds(Int64.max) * 17,
  ]

  @Test(arguments: extremes)
  func `no duration of a request or a policy crashes the process`(_ duration: Duration) async throws
  {
    let transport = StubTransport()
    transport.stub("*", .response(status: 503, headers: ["Retry-After": "0"]))
    let url = try #require(URL(string: "https://api.example.org"))
    let settings: [(inout Client.Configuration) -> Void] = [
      { $0.options.timeout = duration }, { $0.options.attemptTimeout = duration },
      { $0.options.idleTimeout = duration },
      { $0.options.minimumThroughput = .init(bytes: 1, per: max(duration, .seconds(1))) },
      { configuration in
        configuration.middleware = [
          RetryMiddleware(
            RetryPolicy(
              maximumAttempts: 2, backoff: Backoff(base: .zero, maximum: .zero),
              maximumTime: duration),
            maximumRetryAfter: duration)
        ]
      },
    ]

    for set in settings {
      // The clock isn't at zero.
      let clock = ManualClock()
      clock.advance(by: .seconds(5))
      for clock: any Clock<Duration> in [clock, ContinuousClock()] {
        var configuration = Client.Configuration(baseURL: url)
        (configuration.transport, configuration.clock) = (transport, clock)
        set(&configuration)
        let error = await #expect(throws: LoadError.self) {
          try await Client(configuration).load(.void(.get("/")))
        }
        #expect([.status, .timedOut].contains(error?.kind), "\(String(describing: error))")
      }
    }
  }

  @Test(arguments: Engine.allCases, extremes)
  func `no duration of a request crashes an engine`(
    _ engine: Engine, _ duration: Duration
  ) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let client = Client(engine) {
      $0.options.idleTimeout = duration
      $0.options.attemptTimeout = duration
      $0.options.minimumThroughput = .init(bytes: 1, per: max(duration, .seconds(1)))
    }

    let error = await Form.await.load(.text(server.url()), with: client).failure as? LoadError

    #expect(error == nil || error?.kind == .timedOut)
  }
}
