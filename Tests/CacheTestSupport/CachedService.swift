import Foundation
package import ResourceCache
package import ResourceLoading
package import ResourceTesting
import Synchronization

package final class CachedService: Sendable {
  package let transport = StubTransport()
  package let clock = ManualClock()
  package let cache: HTTPCache
  package let client: Client

  package init(
    _ storage: any ResponseStorage = MemoryResponseStorage(), before: [any Middleware] = [],
    behind: [any Middleware] = [], _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) {
    cache = HTTPCache(storage)
    let (cache, transport, clock) = (cache, transport, clock)
    let (sources, failures) = (Observer(), Observer())
    client = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
      $0.clock = clock
      $0.middleware = before + [cache] + behind
      $0.observer = { event in
        if case .fromCache(let source) = event.kind { sources.note("\(source)") }
        if case .cacheFailed(let error) = event.kind { failures.note("\(error)") }
      }
      configure(&$0)
    }
    sourceObserver = sources
    failureObserver = failures
  }

  private let sourceObserver: Observer
  private let failureObserver: Observer

  private final class Observer: Sendable {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock(\.self) }

    func note(_ text: String) { notes.withLock { $0.append(text) } }
  }
}

extension CachedService {
  package var events: [String] { sourceObserver.all }

  package var failures: [String] { failureObserver.all }

  package func load(_ request: Request) async throws -> Loaded {
    try await client.load(
      Resource(request) {
        Loaded(text: String(decoding: $0.body, as: UTF8.self), source: "\($0.source)")
      })
  }

  package func load(_ path: RequestPath, _ headers: Headers = [:]) async throws -> Loaded {
    try await load(Request(.get, path, headers: headers))
  }

  /// A response without a date, which counts as generated at its arrival.
  package static func fresh(
    _ body: String, _ headers: Headers = [.cacheControl: "max-age=60"], status: Status = .ok
  ) -> StubAnswer {
    .response(status: status, headers: headers, body: Data(body.utf8))
  }
}

package struct Loaded: Sendable, Equatable {
  package var text: String
  package var source: String

  package init(text: String, source: String) {
    self.text = text
    self.source = source
  }
}
