import Foundation
import Measuring
import ResourceCache
import ResourceLoading
import ResourceStore
import Rows

/// Loads of one kilobyte that was stored, beside those of a client without a cache.
func registerHits(_ url: URL) {
  let rows = [(Row.cacheMemoryHit, true, 20_000), (.cacheSQLiteHit, false, 100_000)]
  for (row, isInMemory, allowed) in rows {
    row.registerAsync(
      .ours, givenOnce: { await Cached(url, isInMemory) },
      { count, cached in
        for _ in 0..<count { await load(url, with: cached.client) }
      })
    row.registerAsync(
      .network, givenOnce: { Client() },
      { count, client in
        for _ in 0..<count { await load(url, with: client) }
      })
    row.registerAllowed(nanoseconds: allowed)
  }
}

/// A client whose cache has the response of a URL already.
private struct Cached: Sendable {
  let file = TemporaryDatabase()
  let client: Client

  init(_ url: URL, _ isInMemory: Bool) async {
    let cache = isInMemory ? HTTPCache(.memory()) : HTTPCache(.sqlite(file.url))
    client = Client {
      $0.middleware = [cache]
      // The server says nothing about how long it is fresh.
      $0.options.cachePolicy = .cacheFirst
    }
    await load(url, with: client)
  }
}

/// A load that fails costs less, and makes a row a lie.
private func load(_ url: URL, with client: Client) async {
  do {
    let body = try await client.load(Resource.data(.get(url)))
    precondition(body.count == 1024)
  } catch {
    preconditionFailure("a load failed: \(error)")
  }
}
