import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// A process that is killed while its cache stores.
@Suite(.inTurn)
struct CacheKillTests {
  /// 20, or `RESOURCE_STORE_KILLS`.
  static let count =
    ProcessInfo.processInfo.environment["RESOURCE_STORE_KILLS"].flatMap { Int($0) } ?? 20

  @Test(.timeLimit(.minutes(10)))
  func `after a kill every stored response is complete`() async throws {
    let database = try Database()
    var found = 0
    for _ in 0..<Self.count {
      let path = database.file.path
      let delay = UInt32.random(in: 0..<40_000)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, delay = delay as UInt32] in
        Watchdog.endsProcess()
        try await Self.store(in: URL(filePath: path), killedAfter: delay)
      }
      found += try await check(SQLiteResponseStorage(file: database.file))
    }
    #expect(found > 0)
  }

  /// Stores, replaces, removes and gives up responses until this process is killed, microseconds
  /// after the first.
  private static func store(in file: URL, killedAfter delay: UInt32) async throws {
    let storage = SQLiteResponseStorage(file: file, maximumSize: 300_000)
    try await storage.store(response(0), for: key(0))
    Thread.detachNewThread {
      usleep(delay)
      kill(getpid(), SIGKILL)
    }
    for step in 0... {
      try await storage.store(response(step), for: key(step % 100))
      if step % 29 == 28 { try await storage.remove(.entry(key(step % 100))) }
    }
  }

  private static func key(_ number: Int) -> CacheKey {
    CacheKey(url: "https://example.org/\(number)", partition: .anonymous)
  }

  /// A response whose headers determine its body.
  private static func response(_ step: Int) -> StoredResponse {
    CacheExchange.stored(
      ["X-Step": "\(step)"],
      body: Data(repeating: UInt8(truncatingIfNeeded: step), count: step % 9 * 1000))
  }

  /// Returns the number of responses.
  private func check(_ storage: SQLiteResponseStorage) async throws -> Int {
    var count = 0
    for number in 0..<100 {
      for stored in try await storage.responses(for: Self.key(number)) {
        let step = try #require(stored.response.headers["X-Step"].flatMap { Int($0) })
        #expect(stored.response.body == Self.response(step).response.body)
        #expect(step % 100 == number)
        count += 1
      }
    }
    await storage.close()
    return count
  }
}
