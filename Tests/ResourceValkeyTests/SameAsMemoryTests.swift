#if Valkey && os(Linux)
  import CacheTestSupport
  import Foundation
  import ResourceCache
  import ResourceLoading
  import ResourceTesting
  import Synchronization
  import TestSupport
  import Testing

  @testable import ResourceValkey

  /// What a cache does depends on what its storage returns. So a cache over the server does the same
  /// as one in memory if both storages return the same after the same traffic, whatever it is.
  @Suite(.needsServer, .inTurn, .timeLimit(.minutes(15)))
  struct SameAsMemoryTests {
    /// Does everything in memory and on the server, and compares what both return.
    private final class ComparedStorage: ResponseStorage {
      private let memory = MemoryResponseStorage()
      private let shared: ValkeyResponseStorage
      private let state = Mutex(State())

      private struct State {
        var marks: [RemovalMark: RemovalMark] = [:]
        var keys: Set<CacheKey> = []
        var differences: [String] = []
        var maximumVariants = 0
      }

      init(_ shared: ValkeyResponseStorage) { self.shared = shared }

      var differences: [String] { state.withLock(\.differences) }
      var maximumVariants: Int { state.withLock(\.maximumVariants) }

      func responses(for key: CacheKey) async throws -> [StoredResponse] {
        let found = memory.responses(for: key)
        let others = try await shared.responses(for: key)
        state.withLock { state in
          state.keys.insert(key)
          state.maximumVariants = max(state.maximumVariants, found.count)
          if found.count != others.count || Set(found) != Set(others) {
            state.differences.append("\(key): \(found) in memory, \(others) on the server")
          }
        }
        return found
      }

      func mark() async throws -> RemovalMark {
        let mark = memory.mark()
        let other = try await shared.mark()
        state.withLock { $0.marks[mark] = other }
        return mark
      }

      func store(
        _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark
      ) async throws {
        memory.store(response, for: key, since: mark)
        let other = try #require(state.withLock { $0.marks[mark] })
        try await shared.store(response, for: key, since: other)
      }

      func remove(_ scope: CacheScope) async throws {
        memory.remove(scope)
        try await shared.remove(scope)
      }

      /// Compares the responses of all keys that were used.
      func compareAll() async throws {
        for key in state.withLock(\.keys) { _ = try await responses(for: key) }
      }
    }

    /// Random requests, responses, removals and pauses.
    private struct Traffic {
      var random: SeededGenerator

      mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
      }

      mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
      }

      mutating func request() -> Request {
        var headers = Headers()
        func set(_ name: Headers.Name, _ value: String?) { if let value { headers[name] = value } }
        set(.acceptLanguage, pick([nil, nil, "de", "en", "fr;q=0.5"]))
        set(.authorization, pick([nil, nil, nil, "Bearer a", "Bearer b"]))
        set(
          .cacheControl,
          pick(
            Array(repeating: nil, count: 12) + [
              "no-cache", "no-store", "max-age=0", "max-age=5", "max-stale", "max-stale=30",
              "min-fresh=20", "only-if-cached",
            ]))
        set(.range, chance(5) ? "bytes=0-3" : nil)
        set(.ifNoneMatch, chance(5) ? "\"1\"" : nil)
        let method = pick(
          Array(repeating: Request.Method.get, count: 14) + [.head, .head, .post, .put, .delete])
        return Request(method, pick(["/a", "/b", "/c?x=1", "/c?x=2"]), headers: headers)
      }

      mutating func answer(to request: WireRequest, at now: Date) -> StubAnswer {
        var headers = Headers()
        func set(_ name: Headers.Name, _ value: String?) { if let value { headers[name] = value } }
        set(
          .cacheControl,
          pick([
            "max-age=60", "max-age=60", "max-age=5", "max-age=0", "no-cache", "no-store",
            "private, max-age=60", "public, max-age=60", "s-maxage=5, max-age=60",
            "must-revalidate, max-age=5", "max-age=60, immutable", "stale-if-error=50, max-age=1",
            "no-cache=\"X-Number\", max-age=60", "max-age=60, no-store=5", nil,
          ]))
        set(.vary, pick([nil, nil, "Accept-Language", "Accept-Language, Authorization", "*"]))
        set(.eTag, pick([nil, "\"1\"", "\"1\"", "W/\"2\"", "\"ä\""]))
        set(.lastModified, chance(30) ? HTTPDate(now.addingTimeInterval(-9999)).description : nil)
        set(.expires, pick([nil, nil, HTTPDate(now.addingTimeInterval(30)).description, "0"]))
        set(.date, chance(50) ? HTTPDate(now.addingTimeInterval(pick([0, -10]))).description : nil)
        set(.age, pick([nil, nil, "0", "30"]))
        set("Content-Location", chance(10) ? "/b" : nil)
        set("X-Number", "\(random.next())")
        set("X-Text", pick([nil, "emoji 🦊", "", "\"quoted\\\" text\""]))
        if chance(10) { headers.append("X-Text", "again") }
        let isConditional =
          request.headers[.ifNoneMatch] != nil || request.headers[.ifModifiedSince] != nil
        if isConditional, chance(60) {
          return .response(status: 304, headers: headers)
        }
        let status = pick(
          Array(repeating: Status.ok, count: 12) + [203, 204, 206, 301, 404, 410, 500, 503])
        if status == 301 { headers[.location] = pick(["/a", "/b", "/nowhere"]) }
        let size = pick([0, 1, 4, 100, 5000])
        return .response(
          status: status, headers: headers,
          body: Data((0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
      }
    }

    @Test func `after the same traffic the server has the same responses as memory`() async throws {
      let server = try TestServer()
      var sources = Set<String>()
      var maximumVariants = 0
      for seed in 0..<300 {
        let connection = server.connect { $0.prefix = "\(seed)" }
        defer { connection.close() }
        let storage = ComparedStorage(ValkeyResponseStorage(connection, leaseTime: .zero))

        sources.formUnion(try await run(seed, storage))

        try await storage.compareAll()
        try #require(storage.differences == [], "seed \(seed)")
        maximumVariants = max(maximumVariants, storage.maximumVariants)
      }
      // The traffic has had all kinds of answers.
      for text in ["from the cache, still good", "s old", "the server"] {
        #expect(sources.contains { $0.contains(text) }, "\(sources)")
      }
      #expect(maximumVariants > 1)
    }

    /// Loads 40 times, and returns where the responses came from.
    private func run(_ seed: Int, _ storage: ComparedStorage) async throws -> Set<String> {
      let service = CachedService(storage)
      let (start, clock) = (Date(), service.clock)
      let traffic = Mutex(Traffic(random: SeededGenerator(seed: UInt64(seed))))
      service.transport.stub("*") { request in
        let now = start + clock.now.offset / .seconds(1)
        return traffic.withLock { $0.answer(to: request, at: now) }
      }
      var sources = Set<String>()
      for _ in 0..<40 {
        let request = traffic.withLock { $0.request() }
        if let loaded = try? await service.load(request) { sources.insert(loaded.source) }
        let choice = traffic.withLock { $0.pick(Array(0..<60)) }
        switch choice {
        case 0: try await service.cache.removeAll()
        case 1: try await service.cache.removeCredentials()
        case 2:
          try await service.cache.remove(try #require(URL(string: "https://api.example.org/a")))
        case 3: try await storage.remove(.partition(.anonymous))
        case 4..<30: clock.advance(by: .seconds([1, 4, 6, 30, 61, 3600][choice % 6]))
        default: break
        }
      }
      #expect(service.failures == [])
      return sources
    }
  }
#endif
