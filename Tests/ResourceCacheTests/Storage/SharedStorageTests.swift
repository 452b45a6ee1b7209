import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// A storage that several caches use.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct SharedStorageTests {
  /// A storage from which another cache removes everything when a load is about to send its
  /// request.
  private final class SharedStorage: ResponseStorage {
    private let memory = MemoryResponseStorage()
    private let isEmptied = Mutex(false)

    var size: Int { memory.size }

    func emptyBeforeRequests() { isEmptied.withLock { $0 = true } }

    func responses(for key: CacheKey) async -> [StoredResponse] { memory.responses(for: key) }
    func mark() async -> RemovalMark {
      if isEmptied.withLock(\.self) { memory.remove(.everything) }
      return memory.mark()
    }
    func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async {
      memory.store(response, for: key, since: mark)
    }
    func remove(_ scope: CacheScope) async { memory.remove(scope) }
  }

  @Test(arguments: [Request.Method.get, .head])
  func `what another cache removed before the request isn't stored again when it is confirmed`(
    _ method: Request.Method
  ) async throws {
    let storage = SharedStorage()
    let service = CachedService(storage)
    let headers: Headers = [.cacheControl: "max-age=10", .eTag: "\"1\"", .contentLength: "3"]
    service.transport.stub(
      "GET /a", CachedService.fresh("one", headers), .response(status: 304, headers: headers))
    service.transport.stub("HEAD /a", .response(headers: headers))
    _ = try await service.load("/a")
    #expect(storage.size > 0)
    service.clock.advance(by: .seconds(20))
    storage.emptyBeforeRequests()

    try await service.client.load(.void(Request(method, "/a")))

    #expect(service.transport.requests.count == 2)
    #expect(storage.size == 0)
  }
}
