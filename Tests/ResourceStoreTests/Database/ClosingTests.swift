import Dispatch
import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// Opening, closing and cancelling.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ClosingTests {
  private static func use(_ store: SQLiteStore) async throws {
    try await store.upsert(Item.numbered(50))
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await store.count(Item.self, where: Item.score > 3) } }
      try await group.waitForAll()
    }
  }

  #if os(Linux)
    @Test func `closing closes every descriptor, even during the opening of connections`()
      async throws
    {
      let database = try Database()
      let folder = database.file.deletingLastPathComponent()
      for _ in 0..<20 {
        let store = try await database.open()
        try await Self.use(store)
        #expect(Descriptors.open(in: folder) > 0)

        await store.close()

        #expect(Descriptors.open(in: folder) == 0)
      }
    }

    @Test func `a released store closes every descriptor`() async throws {
      let database = try Database()
      let folder = database.file.deletingLastPathComponent()

      try await Self.use(database.open())

      while Descriptors.open(in: folder) > 0 { await Task.yield() }
    }
  #endif

  @Test func `a closed store throws an error, and closing again does nothing`() async throws {
    let store = try await SQLiteStore.inMemory()
    await store.close()
    await store.close()

    let reading = await #expect(throws: LoadError.self) { try await store.count(Item.self) }
    let writing = await #expect(throws: LoadError.self) { try await store.insert(Item.numbered(1)) }

    #expect(reading?.kind == .closed)
    #expect(writing?.kind == .closed)
  }

  @Test func `closing waits for running operations, and fails waiting ones`() async throws {
    let store = try await SQLiteStore.inMemory()
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    async let running: Void = store.transaction { transaction in
      starting.finish()
      gate.wait()
      try transaction.insert(Item.numbered(1))
    }
    for await _ in started {}
    let waiting = Task { try await store.insert(Note(text: "a")) }

    async let closing: Void = store.close()
    let refused = await #expect(throws: LoadError.self) { try await waiting.value }
    gate.signal()

    #expect(refused?.kind == .closed)
    try await running
    await closing
  }

  @Test func `a running read is interrupted`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item.numbered(2000))
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let reading = Task {
      try await store.read { snapshot in
        starting.finish()
        while true { _ = try snapshot.count(Item.self, where: Item.title.contains("x")) }
      }
    }
    for await _ in started {}

    reading.cancel()

    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(try await store.count(Item.self) == 2000)
  }

  @Test func `waiting for a connection can be cancelled`() async throws {
    let database = try Database()
    var settings = SQLiteSettings()
    settings.maximumReaders = 1
    let store = try await database.open(settings)
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    async let running: Void = store.read { _ in
      starting.finish()
      gate.wait()
    }
    for await _ in started {}

    let waiting = (0..<5).map { _ in Task { try await store.count(Item.self) } }
    for task in waiting { task.cancel() }

    for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
    gate.signal()
    try await running
    #expect(try await store.count(Item.self) == 0)
  }

  @Test func `a task that is already cancelled does nothing`() async throws {
    let store = try await SQLiteStore.inMemory()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.insert(Item.numbered(1))
    }

    await #expect(throws: CancellationError.self) { try await task.value }

    #expect(try await store.count(Item.self) == 0)
  }
}
