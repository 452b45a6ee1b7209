import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

// Samples of the documentation of the module's middleware.

func makeCoalescingClient(_ url: URL, authentication: BearerAuthentication) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [CoalescingMiddleware(), RetryMiddleware(), authentication]
  }
  return client
}

func makeLimitedClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [RetryMiddleware(), ConcurrencyLimitMiddleware(maximumRequestsPerHost: 4)]
  }
  return client
}

func makeSlowClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [
      RetryMiddleware(), RateLimitMiddleware(100, per: .seconds(60)),
      RateLimitMiddleware(1, per: .milliseconds(50)),
    ]
  }
  return client
}

func makeCheckingClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [RetryMiddleware(), DigestMiddleware(requiresDigest: true)]
  }
  return client
}

func makeLoggingClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [LoggingMiddleware(.curl), RetryMiddleware()]
  }
  return client
}

func makeWatchedClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) { $0.observer = { event in print(event) } }
  return client
}

func makeFullClient(_ url: URL, token: BearerToken) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [
      LoggingMiddleware(),  // one pair of lines for each load
      CoalescingMiddleware(),  // identical loads: all that follows is done once
      RetryMiddleware(),  // each attempt begins behind this
      BearerAuthentication(token: token),  // each attempt has a good token
      RateLimitMiddleware(100, per: .seconds(60)),  // each attempt counts
      ConcurrencyLimitMiddleware(maximumRequestsPerHost: 4),  // innermost: no turn is held
    ]
    $0.options.timeout = .seconds(30)
  }
  return client
}

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DocumentedTesting {
  @Test func `a test with a stub transport`() async throws {
    let transport = StubTransport()
    transport.stub("GET /users/1", .status(503), .json(#"{"login": "octocat"}"#))
    let clock = ManualClock()
    let client = Client(baseURL: "https://api.example.org") {
      $0.transport = transport
      $0.clock = clock
      $0.middleware = [RetryMiddleware()]
    }

    let user = client.promise(for: Resource<User>(json: .get("/users/1")))
    try await clock.waitForSleepers(count: 1, within: .seconds(30))  // the pause after the 503
    clock.advanceToNextDeadline()

    #expect(try await user.get().login == "octocat")
    #expect(transport.requests.count == 2)
  }
}
