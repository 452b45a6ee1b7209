import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

/// How a cache calls its storage.
@Suite(.timeLimit(.minutes(15)))
struct CacheHitTests {
  /// A storage that can answer at once.
  private final class QuickStorage: ResponseStorage {
    private let memory = MemoryResponseStorage()
    let reads = Mutex(0)

    func immediateResponses(for key: CacheKey) -> [StoredResponse]? { memory.responses(for: key) }
    func responses(for key: CacheKey) async -> [StoredResponse] {
      reads.withLock { $0 += 1 }
      return memory.responses(for: key)
    }
    func mark() async -> RemovalMark { memory.mark() }
    func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async {
      memory.store(response, for: key, since: mark)
    }
    func remove(_ scope: CacheScope) async { memory.remove(scope) }
  }

  @Test(arguments: [false, true])
  func `a storage that returns at once isn't awaited`(_ isTiered: Bool) async throws {
    let storage = QuickStorage()
    let transport = StubTransport()
    transport.stub("*", .response(headers: [.cacheControl: "max-age=60"], body: Data("a".utf8)))
    let cache = isTiered ? HTTPCache(.memory(), before: storage) : HTTPCache(storage)
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.middleware = [cache]
    }

    for _ in 0..<3 { _ = try await client.load(.text(.get("/"))) }

    #expect(transport.requests.count == 1)
    #expect(storage.reads.withLock(\.self) == 0)
  }
}
