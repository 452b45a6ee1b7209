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
    /// What another cache stores once everything is removed.
    private let next = Mutex<(response: StoredResponse, key: CacheKey)?>(nil)
    private let last = Mutex<(response: StoredResponse, key: CacheKey)?>(nil)

    var size: Int { memory.size }

    /// The stored bodies.
    var bodies: [String] {
      let responses = last.withLock(\.self).map { memory.responses(for: $0.key) } ?? []
      return responses.map { String(decoding: $0.response.body, as: UTF8.self) }
    }

    func emptyBeforeRequests() { isEmptied.withLock { $0 = true } }

    /// Has another cache replace what is stored, as ``emptyBeforeRequests()`` removes it.
    func replaceBeforeRequests(by body: String) {
      guard let (old, key) = last.withLock(\.self) else { return }
      var response = old.response
      response.body = Data(body.utf8)
      let new = StoredResponse(
        response, selectingHeaders: old.selectingHeaders, requestDate: old.requestDate + 19,
        responseDate: old.responseDate + 19)
      next.withLock { $0 = (new, key) }
      emptyBeforeRequests()
    }

    func responses(for key: CacheKey) async -> [StoredResponse] { memory.responses(for: key) }
    func mark() async -> RemovalMark {
      if isEmptied.withLock(\.self) { memory.remove(.everything) }
      if let (response, key) = next.withLock(\.self) {
        memory.store(response, for: key, since: memory.mark())
      }
      return memory.mark()
    }
    func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async {
      last.withLock { $0 = (response, key) }
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

  @Test(arguments: [Request.Method.get, .head])
  func `what another cache removed and replaced doesn't come back when it is confirmed`(
    _ method: Request.Method
  ) async throws {
    let storage = SharedStorage()
    let service = CachedService(storage)
    let headers: Headers = [.cacheControl: "max-age=10", .eTag: "\"1\"", .contentLength: "3"]
    service.transport.stub(
      "GET /a", CachedService.fresh("one", headers), .response(status: 304, headers: headers))
    service.transport.stub("HEAD /a", .response(headers: headers))
    _ = try await service.load("/a")
    service.clock.advance(by: .seconds(20))
    storage.replaceBeforeRequests(by: "two")

    try await service.client.load(.void(Request(method, "/a")))

    #expect(service.transport.requests.count == 2)
    #expect(storage.bodies == ["two"])
  }
}
