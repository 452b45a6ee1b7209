import Foundation
import Measuring
import ResourceCache
import ResourceLoading
import ResourceStore
import Rows

/// Loads of stored responses that lie among few, and among many.
func registerLookups() {
  for (row, isInMemory) in [(Row.cacheMemoryHitAmongMany, true), (.cacheSQLiteHitAmongMany, false)]
  {
    row.registerAsync(.ours, givenOnce: { await FilledCache(100_000, isInMemory) }, measureHits)
    row.registerAsync(.amongFew, givenOnce: { await FilledCache(1_000, isInMemory) }, measureHits)
  }
}

@Sendable private func measureHits(_ count: Int, _ cache: FilledCache) async {
  for number in 0..<count { await cache.load(number) }
}

/// A client whose cache has so many responses.
private final class FilledCache: Sendable {
  private let file = TemporaryDatabase()
  private let client: Client
  private let count: Int

  init(_ count: Int, _ isInMemory: Bool) async {
    self.count = count
    let storage: any ResponseStorage =
      isInMemory
      ? MemoryResponseStorage.memory(maximumSize: 1 << 30)
      : SQLiteResponseStorage.sqlite(file.url, maximumSize: 1 << 30)
    let client = Client {
      $0.middleware = [HTTPCache(storage)]
      $0.options.cachePolicy = .cacheOnly
    }
    self.client = client
    for number in 0..<count {
      let response = Response(
        url: Self.url(number), headers: [.contentType: "text/plain", .eTag: "\"\(number)\""],
        body: Data(count: 1024))
      let stored = StoredResponse(
        response, selectingHeaders: [:], requestDate: Date(), responseDate: Date())
      let key = CacheKey(url: Self.url(number), partition: .anonymous)
      guard let mark = try? await storage.mark() else { continue }
      try? await storage.store(stored, for: key, since: mark)
    }
    // Whoever looks up has looked up before: connections are open, and statements prepared.
    for number in 0..<min(count, 1000) { await load(number) }
  }

  /// Loads one of them, from anywhere among them.
  func load(_ number: Int) async {
    do {
      let url = Self.url(number &* 7919 % count)
      let body = try await client.load(Resource.data(.get(url)))
      precondition(body.count == 1024)
    } catch {
      preconditionFailure("a load failed: \(error)")
    }
  }

  private static func url(_ number: Int) -> URL {
    guard let url = URL(string: "https://example.org/responses/\(number)?page=1") else {
      preconditionFailure("no URL")
    }
    return url
  }
}
