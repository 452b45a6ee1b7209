import Dispatch
import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// All or nothing, and one state for a reader.
@Suite(.inTurn)
struct ModelTransactionTests {
  struct Oops: Error {}

  @Test func `all changes of a transaction are kept`() async throws {
    let store = try await SQLiteStore.inMemory()

    let count = try await store.transaction { transaction in
      try transaction.insert(Item.numbered(3))
      try transaction.insert(Note(text: "n"))
      try transaction.delete(Item.self, where: Item.id == "2")
      return try transaction.count(Item.self)
    }

    #expect(count == 2)
    #expect(try await store.count(Item.self) == 2)
    #expect(try await store.count(Note.self) == 1)
  }

  @Test func `an error of the body undoes everything, including tables, and is rethrown`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()

    await #expect(throws: Oops.self) {
      try await store.transaction { transaction in
        try transaction.insert(Item.numbered(3))
        throw Oops()
      }
    }

    #expect(try await store.count(Item.self) == 0)
    try await store.insert(Item.numbered(2))
    #expect(try await store.count(Item.self) == 2)
  }

  @Test func `a table that was undone has no rows, whatever was asked before`() async throws {
    let store = try await SQLiteStore.inMemory()

    await #expect(throws: Oops.self) {
      try await store.transaction { transaction in
        try transaction.insert(Item.numbered(3))
        #expect(try transaction.count(Item.self) == 3)
        #expect(try transaction.delete(Item.self, where: Item.id == "1") == 1)
        throw Oops()
      }
    }

    #expect(try await store.count(Item.self) == 0)
    #expect(try await store.delete(Item.self, where: Item.id == "1") == 0)
  }

  @Test func `an error that the body catches doesn't affect the rest of the transaction`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()

    try await store.transaction { transaction in
      // The first one creates the table, which is undone as well.
      for _ in 0..<2 {
        #expect(throws: LoadError.self) {
          try transaction.insert([Entry(id: 1, text: "b"), Entry(id: 1, text: "c")])
        }
      }
      try transaction.insert(Entry(id: 1, text: "a"))
      #expect(throws: LoadError.self) { try transaction.insert(Entry(id: 1, text: "b")) }
      try transaction.insert(Entry(id: 2, text: "c"))
    }

    #expect(try await store.select(order: Entry.id.ascending).map(\.text) == ["a", "c"])
  }

  @Test func `a failed call in a transaction changes nothing, and the rest is kept`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()

    try await store.transaction { transaction in
      try transaction.insert(Entry(id: 1, text: "a"))
      try? transaction.insert([Entry(id: 2, text: "b"), Entry(id: 1, text: "c")])
      _ = try? transaction.upsert([Batch(id: 1, size: 1), Batch(id: 2, size: nil)])
      try transaction.insert(Entry(id: 3, text: "d"))
      #expect(try transaction.count(Batch.self) == 0)
    }

    #expect(try await store.select(order: Entry.id.ascending).map(\.text) == ["a", "d"])
    try await store.upsert(Batch(id: 1, size: 1))
    #expect(try await store.count(Batch.self) == 1)
  }

  /// Can't be encoded without a size.
  private struct Batch: StoredModel, Identifiable {
    var id: Int
    var size: Int?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      guard let size else { throw Oops() }
      try container.encode(size, forKey: .size)
    }

    enum CodingKeys: CodingKey { case id, size }
  }

  @Test func `after SQLite has undone a transaction, every further call throws`() async throws {
    let database = try Database()
    var settings = SQLiteSettings()
    settings.maximumSize = 100_000
    let store = try await database.open(settings)
    try await store.insert(Entry(id: 0, text: ""))
    let large = (1...100).map { Entry(id: $0, text: String(repeating: "x", count: 3000)) }

    await #expect(throws: Oops.self) {
      try await store.transaction { transaction in
        try transaction.insert(Entry(id: 1000, text: "before"))
        try? transaction.insert(large)
        for entry in large { try? transaction.insert(entry) }
        try? transaction.insert(Entry(id: 1001, text: "behind"))
        throw Oops()
      }
    }
    _ = try? await store.transaction { transaction in
      try transaction.insert(Entry(id: 1000, text: "before"))
      for entry in large { try? transaction.insert(entry) }
      try transaction.insert(Entry(id: 1001, text: "behind"))
    }

    let ids = Set(try await store.select(Entry.self).map(\.id))
    #expect(ids.contains(1000) == ids.contains(1001))
  }

  @Test func `two types with the same table by accident are an error`() async throws {
    enum Other { struct Entry: StoredModel, Identifiable { var id: Int } }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Entry(id: 1, text: "a"))

    let error = await #expect(throws: LoadError.self) { try await store.upsert(Other.Entry(id: 1)) }

    #expect(error?.reason.contains("Other.Entry") == true)
    #expect(try await store.count(Entry.self) == 1)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a cancelled transaction is undone`() async throws {
    let store = try await SQLiteStore.inMemory()
    let task = Task {
      try await store.transaction { transaction in
        try transaction.insert(Item.numbered(3))
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }

    await #expect(throws: CancellationError.self) { try await task.value }

    #expect(try await store.count(Item.self) == 0)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a read sees one state while others write`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item.numbered(1))
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    async let counts = store.read { snapshot in
      let before = try snapshot.count(Item.self)
      starting.finish()
      gate.wait()
      return [before, try snapshot.count(Item.self)]
    }
    for await _ in started {}

    try await store.insert(Item(id: "x", title: ""))
    gate.signal()

    #expect(try await counts == [1, 1])
    #expect(try await store.count(Item.self) == 2)
  }

  @Test(.timeLimit(.minutes(10)))
  func `readers beside a writer only ever see whole transactions`() async throws {
    let database = try Database()
    let store = try await database.open()
    let ids = (1...10).map { "\($0)" }
    try await store.insert(ids.map { Item(id: $0, title: "") })

    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 1...100 {
          try await store.transaction { transaction in
            try transaction.update(Item.self, set: [Item.score.set(to: round)], where: .all)
            try transaction.insert(Item(id: "more \(round)", title: "", score: round))
          }
        }
      }
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<100 {
            let items = try await store.select(where: Item.id.isIn(ids))
            #expect(items.count == 10 && Set(items.map(\.score)).count == 1)
          }
        }
      }
      try await group.waitForAll()
    }

    #expect(try await store.count(Item.self) == 110)
  }

  @Test(.timeLimit(.minutes(10)))
  func `concurrent writes of many tasks are all kept`() async throws {
    let database = try Database()
    let store = try await database.open()

    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<20 {
        group.addTask {
          for number in 0..<20 { try await store.insert(Entry(id: writer * 20 + number, text: "")) }
        }
      }
      try await group.waitForAll()
    }

    #expect(try await store.select(order: Entry.id.ascending).map(\.id) == Array(0..<400))
  }
}
