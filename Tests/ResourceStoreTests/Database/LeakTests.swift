import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

@testable import ResourceStore

/// Everything opened is closed, whatever went wrong.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LeakTests {
  /// Ways to use a store, including failing ones.
  enum Use: CaseIterable {
    case plain, takenKey, badRow, refused, cancelledRead, cancelledWrite
  }

  /// A model that doesn't fit a row of `Item`.
  private struct Strict: StoredModel {
    static let table = "Item"
    var title: Int
  }

  private func use(_ store: SQLiteStore, _ use: Use) async throws {
    try await store.upsert(Item.numbered(30))
    switch use {
    case .plain: #expect(try await store.select(where: Item.score > 3).count == 27)
    case .takenKey: await fails { try await store.insert(Item.numbered(1)) }
    case .badRow: await fails { _ = try await store.select(Strict.self) }
    case .refused:
      await fails { try await store.writer.run { _ = try $0.execute("this is no statement") } }
    case .cancelledRead:
      try await cancel { began in
        try await store.read { snapshot in
          while true {
            _ = try snapshot.select(where: Item.title.contains("x"))
            began()
          }
        }
      }
    case .cancelledWrite:
      try await cancel { began in
        try await store.transaction { transaction in
          while true {
            try transaction.upsert(Item.numbered(20))
            began()
          }
        }
      }
    }
  }

  private func fails(_ body: () async throws -> Void) async {
    await #expect(throws: LoadError.self) { try await body() }
  }

  /// Cancels a body once it has begun.
  private func cancel(
    _ body: @escaping @Sendable (_ began: @Sendable () -> Void) async throws -> Void
  ) async throws {
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let task = Task { try await body { starting.finish() } }
    for await _ in started {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a connection caches at most 128 statements and leaves none running`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()
    for number in 1...300 {
      let titles = (0..<number).map { "\($0)" }
      _ = try await store.select(where: Item.title.isIn(titles))
      try await use(store, Use.allCases[number % Use.allCases.count])
    }

    let statements = try await store.writer.run { Statements($0) }

    #expect(statements.count > 10 && statements.count <= 128)
    #expect(statements.busyCount == 0)
  }

  #if os(Linux)
    // A connection with an unfinalised statement would keep its file open.
    @Test func `a thousand stores close every descriptor after any failure`() async throws {
      let database = try Database()
      let folder = database.file.deletingLastPathComponent()
      let text = folder.appending(path: "text")
      try Data("this is no database".utf8).write(to: text)

      for number in 0..<1000 {
        let store = try await database.open()
        try await use(store, Use.allCases[number % Use.allCases.count])
        await fails { _ = try await SQLiteStore(file: text) }
        await store.close()
      }

      #expect(Descriptors.open(in: folder) == 0)
    }

    @Test func `a thousand caches close every descriptor, also after cancelled loads`()
      async throws
    {
      let database = try Database()
      let folder = database.file.deletingLastPathComponent()

      for number in 0..<1000 {
        let storage = SQLiteResponseStorage(file: database.file)
        let service = CachedService(storage)
        service.transport.stub("*", CachedService.fresh("\(number)"))
        let path = "/\(number % 7)"
        let cancelled = Task { try await service.load(RequestPath(path)) }
        cancelled.cancel()
        _ = try await service.load(RequestPath(path))
        _ = try? await cancelled.value
        await storage.close()
      }

      #expect(Descriptors.open(in: folder) == 0)
    }
  #endif
}
