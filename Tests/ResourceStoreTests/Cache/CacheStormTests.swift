import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// Loads through a cache that are cancelled at random, all at once.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct CacheStormTests {
  @Test(arguments: 0..<3 as Range<UInt64>, CacheOverHTTPTests.transports.indices)
  func `despite cancellations, no load gets another's response, and none hangs`(
    seed: UInt64, index: Int
  ) async throws {
    let (server, database) = (try Self.server(), try Database())
    defer { server.stop() }
    let storage = SQLiteResponseStorage(file: database.file, maximumSize: 100_000)
    let cache = HTTPCache(.memory(maximumSize: 20_000), before: storage)
    let client = Client(baseURL: server.url()) {
      $0.transport = CacheOverHTTPTests.transports[index]()
      $0.middleware = [
        CoalescingMiddleware(), cache,
        RetryMiddleware(RetryPolicy(maximumAttempts: 2, backoff: .none)),
      ]
    }
    var random = SeededGenerator(seed: seed)
    let plans = (0..<600).map { _ in Plan(using: &random) }

    await withTaskGroup(of: Void.self) { group in
      for plan in plans { group.addTask { await plan.carryOut(with: client, cache) } }
    }

    #expect(
      try await client.load(.text(Request(.get, "/fresh/final", headers: ["X-User": "u"]))) == "u")
    client.close()
    await storage.close()
    #expect(Descriptors.open(in: database.file.deletingLastPathComponent()) == 0)
  }

  private static func server() throws -> LoopbackServer {
    @Sendable func answer(_ request: ReceivedRequest, _ control: String) -> Script {
      let user = request.header("Authorization") ?? request.header("X-User") ?? "nobody"
      guard request.header("If-None-Match") == nil else { return .status(304) }
      return .response(
        headers: ["Cache-Control": control, "ETag": "\"1\"", "Vary": "X-User"], body: user)
    }
    return try LoopbackServer {
      LoopbackRoute("GET /fresh*") { answer($0, "max-age=60") }
      LoopbackRoute("GET /stale*") { answer($0, "max-age=0, stale-while-revalidate=60") }
      LoopbackRoute("GET /asked*") { answer($0, "no-cache") }
      LoopbackRoute("GET /failing*") { _ in .status(503) }
      LoopbackRoute("POST *") { _ in .status(204) }
    }
  }

  /// What is loaded, for whom, and when it is given up.
  private struct Plan: Sendable {
    var path: String
    var user: String
    var policy: Request.CachePolicy
    var isUnsafe: Bool
    var isPurge: Bool
    var cancelsAfter: Duration?

    init(using random: inout SeededGenerator) {
      let kinds = ["/fresh", "/fresh", "/stale", "/asked", "/failing"]
      let policies: [Request.CachePolicy] = [
        .standard, .standard, .freshOnly, .networkOnly, .cacheFirst, .staleWhileRevalidating,
      ]
      path = "\(kinds.randomElement(using: &random)!)/\(Int.random(in: 0..<10, using: &random))"
      user = "\(Int.random(in: 0..<4, using: &random))"
      policy = policies.randomElement(using: &random)!
      isUnsafe = Int.random(in: 0..<20, using: &random) == 0
      isPurge = Int.random(in: 0..<40, using: &random) == 0
      cancelsAfter =
        Bool.random(using: &random)
        ? .microseconds(Int.random(in: 0..<20_000, using: &random)) : nil
    }

    func carryOut(with client: Client, _ cache: HTTPCache) async {
      let path = RequestPath(encoded: path)
      let task = Task {
        if isPurge { try await cache.remove(CachePartition(headers: [.authorization: user])) }
        guard !isUnsafe else { return try await client.load(.void(Request(.post, path))) }
        let request = Request(.get, path, headers: [.authorization: user])
        let text = try await client.load(.text(request.cachePolicy(policy)))
        #expect(text == user)
      }
      let canceller = cancelsAfter.map { pause in
        Task {
          try? await Task.sleep(for: pause)
          task.cancel()
        }
      }
      let result = await task.result
      canceller?.cancel()
      if case .failure(let error) = result {
        #expect(error is CancellationError || (error as? LoadError)?.kind == .status, "\(error)")
      }
    }
  }
}
