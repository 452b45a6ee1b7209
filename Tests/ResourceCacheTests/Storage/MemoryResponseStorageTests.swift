import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import Testing

/// The storage in memory by itself: what it counts, evicts and removes.
struct MemoryResponseStorageTests {
  private func key(_ path: String, _ partition: String = "") -> CacheKey {
    CacheKey(url: "https://example.org/\(path)", partition: CachePartition(name: partition))
  }

  private func stored(_ size: Int, language: String? = nil) -> StoredResponse {
    let headers: Headers = language.map { ["Accept-Language": $0] } ?? [:]
    return CacheExchange.stored(
      language == nil ? [:] : [.vary: "Accept-Language"], body: Data(count: size),
      selecting: headers)
  }

  private func store(
    _ response: StoredResponse, for key: CacheKey, in storage: MemoryResponseStorage
  ) {
    storage.store(response, for: key, since: storage.mark())
  }

  @Test
  func `the size is that of all responses, with their URLs and headers, and 0 again at the end`() {
    let storage = MemoryResponseStorage.memory()
    #expect(storage.size == 0)

    store(stored(1000), for: key("a"), in: storage)
    let one = storage.size
    store(stored(1000), for: key("b"), in: storage)
    store(stored(1000), for: key("b"), in: storage)

    // A URL of 21 bytes, and 256 for the rest.
    #expect(one == 1000 + 256 + 21)
    #expect(storage.size == 2 * one)
    storage.remove(.entry(key("a")))
    #expect(storage.size == one)
    storage.remove(.everything)
    #expect(storage.size == 0)
  }

  @Test func `headers count with their names and values`() {
    let storage = MemoryResponseStorage.memory()

    store(stored(0, language: "de"), for: key("a"), in: storage)

    let fields = ["Vary": "Accept-Language", "Accept-Language": "de"]
    let size = fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 32 }
    #expect(storage.size == 256 + 21 + size)
  }

  @Test func `the least recently used responses go first, and a tenth more than necessary`() {
    let storage = MemoryResponseStorage.memory(maximumSize: 10 * 1277)
    for number in 0..<10 { store(stored(1000), for: key("\(number)"), in: storage) }
    #expect(storage.size == 10 * 1277)
    #expect(storage.responses(for: key("0")).count == 1)

    store(stored(1000), for: key("x"), in: storage)

    let kept = (0..<10).filter { !storage.responses(for: key("\($0)")).isEmpty }
    #expect(kept == [0, 3, 4, 5, 6, 7, 8, 9])
    #expect(storage.responses(for: key("x")).count == 1)
    #expect(storage.size == 9 * 1277)
  }

  @Test func `one response may fill the storage, and a larger one is not stored`() {
    let storage = MemoryResponseStorage.memory(maximumSize: 1277)

    store(stored(1000), for: key("a"), in: storage)
    #expect(storage.responses(for: key("a")).count == 1)
    store(stored(1001), for: key("b"), in: storage)

    #expect(storage.responses(for: key("b")).isEmpty)
    #expect(storage.responses(for: key("a")).count == 1)
  }

  @Test func `a response that is too large removes the stored one`() {
    let storage = MemoryResponseStorage.memory(maximumSize: 1277)
    store(stored(1000), for: key("a"), in: storage)

    store(stored(2000), for: key("a"), in: storage)

    #expect(storage.responses(for: key("a")).isEmpty)
    #expect(storage.size == 0)
  }

  @Test func `the latest 32 variants of a URL are stored`() {
    let storage = MemoryResponseStorage.memory()

    for number in 0..<40 {
      store(stored(number, language: "l\(number)"), for: key("a"), in: storage)
    }

    let sizes = storage.responses(for: key("a")).map(\.response.body.count)
    #expect(sizes == Array(8..<40))
  }

  @Test(arguments: [
    CacheScope.entry(CacheKey(url: "https://example.org/a", partition: CachePartition(name: "x"))),
    .url("https://example.org/a"), .partition(CachePartition(name: "x")), .credentials, .everything,
  ])
  func `a scope removes what it covers, and subtracts its size`(_ scope: CacheScope) {
    let storage = MemoryResponseStorage.memory()
    let keys = [key("a"), key("a", "x"), key("b"), key("b", "x"), key("b", "y")]
    for key in keys { store(stored(1000), for: key, in: storage) }

    storage.remove(scope)

    for key in keys { #expect(storage.responses(for: key).isEmpty == scope.covers(key)) }
    #expect(storage.size == keys.filter { !scope.covers($0) }.count * 1277)
  }

  @Test func `a response that was removed since its request isn't stored`() {
    let storage = MemoryResponseStorage.memory()
    let mark = storage.mark()
    storage.remove(.url(key("a").url))

    storage.store(stored(10), for: key("a", "x"), since: mark)
    storage.store(stored(10), for: key("b"), since: mark)

    #expect(storage.responses(for: key("a", "x")).isEmpty)
    #expect(storage.responses(for: key("b")).count == 1)
  }
}

struct TieredResponseStorageTests {
  private let key = CacheKey(url: "https://example.org/a", partition: .anonymous)
  private let front = MemoryResponseStorage.memory()
  private let back = MemoryResponseStorage.memory()

  private func stored(_ text: String) -> StoredResponse {
    CacheExchange.stored([:], body: Data(text.utf8))
  }

  @Test func `a response that is stored takes the older one out of the front storage`() async throws
  {
    let storage = TieredResponseStorage(front, before: back)
    front.store(stored("old"), for: key, since: front.mark())

    try await storage.store(stored("new"), for: key, since: storage.mark())

    #expect(front.responses(for: key).isEmpty)
    #expect(try await storage.responses(for: key) == [stored("new")])
  }

  @Test func `a removal applies to both storages`() async throws {
    let storage = TieredResponseStorage(front, before: back)
    front.store(stored("1"), for: key, since: front.mark())
    back.store(stored("1"), for: key, since: back.mark())

    try await storage.remove(.everything)

    #expect(front.responses(for: key).isEmpty && back.responses(for: key).isEmpty)
  }

  @Test func `a response that the back storage can't remove leaves the front storage`() async throws
  {
    let faulty = FaultyStorage(back)
    faulty.fail([.removing])
    let storage = TieredResponseStorage(front, before: faulty)
    front.store(stored("1"), for: key, since: front.mark())

    await #expect(throws: FaultyStorage.Fault.self) { try await storage.remove(.everything) }

    #expect(front.responses(for: key).isEmpty)
  }
}
