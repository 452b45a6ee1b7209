import Foundation
import ResourceLoading

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
