import Foundation
import PromiseModule
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Synchronization

@testable import ResourceOutbox

/// A database, a transport with a test's answers, and a clock that a test moves.
struct OutboxFixture {
  let database: Database
  let transport = StubTransport()
  let clock = ManualClock()
  var settings = OutboxSettings()

  init() throws {
    database = try Database()
    settings.retry.backoff = Backoff(base: .seconds(1), maximum: .seconds(60), jitter: .none)
    settings.checkInterval = nil
  }

  var client: Client {
    Client(baseURL: URL(string: "https://api.example.org/v1")!) {
      $0.transport = transport
      $0.clock = clock
    }
  }

  func open() async throws -> (SQLiteStore, Outbox) {
    let store = try await database.open()
    return (store, try await Outbox(store: store, client: client, settings: settings))
  }

  /// What was sent, as `POST /v1/notes`.
  var sent: [String] { transport.requests.map { "\($0.method) \($0.url.path())" } }

  /// The files in the outbox's folder besides those of sessions.
  var bodies: [String] {
    let folder = database.file.path(percentEncoded: false) + "-outbox"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasSuffix(".session") }
  }
}

extension Outbox {
  /// Waits until the list of entries meets a condition.
  func wait(until condition: ([OutboxEntry]) -> Bool) async throws {
    for try await entries in entries() where condition(entries) { return }
  }
}

/// The bodies that a stub has received, read before their files are removed.
final class ReceivedBodies: Sendable {
  private let bodies = Mutex<[String: Data]>([:])

  func note(_ request: WireRequest) {
    let body = try? request.body?.data()
    bodies.withLock { $0[request.url.path()] = body }
  }

  subscript(path: String) -> Data? { bodies.withLock { $0[path] } }
}

extension SQLiteStore {
  /// Changes the first entry of an outbox, such as by `due = 0`.
  func changeFirstOutboxEntry(_ change: String) async throws {
    _ = try await write { connection in
      try connection.execute(#"UPDATE "Outbox entries 1" SET \#(change) WHERE number = 1"#)
    }
  }

  /// Damages the first four entries of an outbox, each in another way.
  func damageOutbox() async throws {
    try await write { connection in
      for text in [
        #"UPDATE "Outbox requests 1" SET headers = 'not JSON' WHERE entry = 1"#,
        #"UPDATE "Outbox requests 1" SET options = x'00' WHERE entry = 2"#,
        #"UPDATE "Outbox requests 1" SET target = 'a b' WHERE entry = 3"#,
        #"UPDATE "Outbox entries 1" SET id = 'nothing' WHERE number = 4"#,
      ] { try connection.execute(text) }
    }
  }
}
