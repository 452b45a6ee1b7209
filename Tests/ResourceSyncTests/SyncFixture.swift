import Foundation
import PromiseModule
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import StoreTestSupport

/// A database, a transport with a test's answers, and a clock that a test moves.
struct SyncFixture {
  let database: Database
  let transport = StubTransport()
  let clock = ManualClock()
  var settings = OutboxSettings()

  init() throws {
    database = try Database()
    settings.retry.backoff = Backoff(base: .seconds(1), maximum: .seconds(60), jitter: .none)
    settings.checkInterval = nil
  }

  func client(_ middleware: [any Middleware] = []) -> Client {
    Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
      $0.clock = clock
      $0.middleware = middleware
    }
  }

  func open(_ client: Client? = nil) async throws -> (SQLiteStore, Outbox) {
    var settings = SQLiteSettings()
    settings.otherProcessesInterval = nil
    let store = try await database.open(settings)
    let client = client ?? self.client()
    return (store, try await Outbox(store: store, client: client, settings: self.settings))
  }

  /// What was sent, as `POST /notes`.
  var sent: [String] { transport.requests.map { "\($0.method) \($0.url.path())" } }
}

/// Waits until a condition holds, while other work on this actor goes on. The time limit of its
/// suite ends a test that waits in vain.
func until(
  _ isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  while try await !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
