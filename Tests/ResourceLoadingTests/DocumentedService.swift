import Foundation
import ResourceLoading

// Samples of the article "In a service", and of the middleware that it is about.

private struct Order: Decodable, Sendable { let id: Int }

extension Resource where R == Order {
  fileprivate static func order(_ id: Int) -> Self { .json(.get("/orders/\(id)")) }
}

private func loadOrder(
  _ id: Int, _ url: URL, _ authentication: BearerAuthentication, _ headers: [String: String]
) async throws -> Order {
  let orders = Client(baseURL: url) {
    $0.middleware = [
      CoalescingMiddleware(),  // sends equal requests once
      RetryMiddleware(),  // repeats failures that may pass
      HedgingMiddleware(),  // sends a second request for a late response
      authentication,
      ServerRateLimitMiddleware(),  // keeps to the server's limits
      ConcurrencyLimitMiddleware(adaptingRequestsPerHost: 2...200),
      CircuitBreakerMiddleware(),  // sends nothing to a failing host
      DeadlineMiddleware("X-Time-Left"),  // tells the server how long it may take
    ]
  }
  let left = Deadline.Format.milliseconds.remaining(in: headers["X-Time-Left"]) ?? .seconds(2)
  let order = try await Deadline.within(left) {
    try await orders.load(.order(id))
  }
  return order
}

private func drainOnTermination(_ client: Client) -> any DispatchSourceSignal {
  signal(SIGTERM, SIG_IGN)  // otherwise the process ends at once
  let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
  termination.setEventHandler {
    Task {
      let unfinished = await client.drain(within: .seconds(20))
      print("cut off \(unfinished) loads")
      exit(0)
    }
  }
  termination.resume()
  return termination
}

private func drain(_ client: Client) async {
  let unfinished = await client.drain(within: .seconds(20))
  print(unfinished)
}

private struct Users: Sendable {
  let users: Client
  let orders: Client
  let url: URL
  let id: Int

  func answer() async throws -> Order {
    let answer = try await Deadline.within(.seconds(2)) {
      let user = try await users.load(.user(id))
      return try await orders.load(.orders(of: user))
    }
    return answer
  }

  func handle(_ request: Call) async throws {
    let left = Deadline.Format.milliseconds.remaining(in: request.headers["X-Time-Left"])
    try await Deadline.within(left) { try await handle(request) }
  }

  struct Call: Sendable { var headers: [String: String] }

  func hedging() -> Client {
    let client = Client(baseURL: url) {
      $0.middleware = [RetryMiddleware(), HedgingMiddleware()]
    }
    return client
  }

  func breaking() -> Client {
    let client = Client(baseURL: url) {
      $0.middleware = [RetryMiddleware(), CircuitBreakerMiddleware()]
    }
    return client
  }

  func heeding(_ authentication: BearerAuthentication) -> Client {
    let client = Client(baseURL: url) {
      $0.middleware = [RetryMiddleware(), authentication, ServerRateLimitMiddleware()]
    }
    return client
  }

  func forwarding() -> Client {
    let client = Client(baseURL: url) {
      $0.middleware = [RetryMiddleware(), DeadlineMiddleware("X-Time-Left")]
    }
    return client
  }
}

extension Resource where R == User {
  fileprivate static func user(_ id: Int) -> Self { .json(.get("/users/\(id)")) }
}

extension Resource where R == Order {
  fileprivate static func orders(of user: User) -> Self { .json(.get("/orders/\(user.login)")) }
}
