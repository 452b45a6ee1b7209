import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

// Samples of the documentation of the middleware that comes with the module.

func makeCoalescingClient(_ url: URL, authentication: BearerAuthentication) -> Client {
  let client = Client(baseURL: url) { $0.middleware = [Coalescing(), Retry(), authentication] }
  return client
}

func makeLimitedClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) { $0.middleware = [Retry(), ConcurrencyLimit(perHost: 4)] }
  return client
}

func makeSlowClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [
      Retry(), RateLimit(100, per: .seconds(60)), RateLimit(1, per: .milliseconds(50)),
    ]
  }
  return client
}

func makeLoggingClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) { $0.middleware = [Logging(.curl), Retry()] }
  return client
}

func makeWatchedClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) { $0.observer = { event in print(event) } }
  return client
}

func makeFullClient(_ url: URL, token: BearerToken) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [
      Logging(),  // one pair of lines for each load
      Coalescing(),  // identical loads: all that follows is done once
      Retry(),  // each attempt begins behind this
      BearerAuthentication(token: token),  // each attempt has a good token
      RateLimit(100, per: .seconds(60)),  // each attempt counts
      ConcurrencyLimit(perHost: 4),  // innermost, so that nobody holds a turn while it waits
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
    let client = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
      $0.clock = clock
      $0.middleware = [Retry()]
    }

    let user = client.promise(for: Resource<User>(json: .get("/users/1")))
    try await clock.waitForSleepers(count: 1)  // it pauses after the 503
    clock.advanceToNextDeadline()

    #expect(try await user.get().login == "octocat")
    #expect(transport.requests.count == 2)
  }
}
