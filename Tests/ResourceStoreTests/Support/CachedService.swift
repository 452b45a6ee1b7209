import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import Synchronization

/// A stubbed service, a cache before it, and a clock that a test moves.
final class CachedService: Sendable {
  let transport = StubTransport()
  let clock = ManualClock()
  let cache: HTTPCache
  let client: Client

  init(
    _ storage: any ResponseStorage = MemoryResponseStorage(), before: [any Middleware] = [],
    behind: [any Middleware] = [], _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) {
    cache = HTTPCache(storage)
    let (cache, transport, clock) = (cache, transport, clock)
    let (told, failures) = (Observer(), Observer())
    client = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
      $0.clock = clock
      $0.middleware = before + [cache] + behind
      $0.observer = { event in
        if case .fromCache(let source) = event.kind { told.note("\(source)") }
        if case .cacheFailed(let error) = event.kind { failures.note("\(error)") }
      }
      configure(&$0)
    }
    self.told = told
    self.failed = failures
  }

  private let told: Observer
  private let failed: Observer

  private final class Observer: Sendable {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock(\.self) }

    func note(_ text: String) { notes.withLock { $0.append(text) } }
  }
}

extension CachedService {
  /// What the events said of where responses came from.
  var events: [String] { told.all }

  /// What the events said of the storage's failures.
  var failures: [String] { failed.all }

  /// Loads a path: its text, and where it came from.
  func load(_ request: Request) async throws -> Loaded {
    try await client.load(
      Resource(request) {
        Loaded(text: String(decoding: $0.body, as: UTF8.self), source: "\($0.source)")
      })
  }

  func load(_ path: RequestPath, _ headers: Headers = [:]) async throws -> Loaded {
    try await load(Request(.get, path, headers: headers))
  }

  /// A response that was made now, by the clock of the client.
  static func fresh(
    _ body: String, _ headers: Headers = [.cacheControl: "max-age=60"], status: Status = .ok
  ) -> StubAnswer {
    .response(status: status, headers: headers, body: Data(body.utf8))
  }
}

/// What a load has read.
struct Loaded: Sendable, Equatable {
  var text: String
  var source: String
}
