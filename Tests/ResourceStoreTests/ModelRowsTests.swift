import Foundation
import ResourceLoading
import StoreTestSupport
import TestSupport
import Testing

@testable import ResourceStore

/// Reading rows one after another.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ModelRowsTests {
  @Test(arguments: [0, 1, 31, 32, 33, 255, 256, 257, 2000], [true, false])
  func `all rows come in order`(count: Int, isFile: Bool) async throws {
    let database = try Database()
    let store = try await isFile ? database.open() : SQLiteStore.inMemory()
    try await store.insert((0..<count).map { Entry(id: $0, text: "\($0)") })
    var found: [Int] = []

    for try await entry in store.rows(of: Entry.self, order: Entry.id.ascending) {
      found.append(entry.id)
    }

    #expect(found == Array(0..<count))
    #expect(try await Array(store.rows(where: Entry.id < 0, order: Entry.id.ascending)) == [])
    let page = store.rows(where: Entry.id >= 1, order: Entry.id.descending, limit: 3, offset: 1)
    let ids = Array((1..<max(1, count)).reversed().dropFirst().prefix(3))
    #expect(try await Array(page).map(\.id) == ids)
  }

  @Test func `an iteration sees the state of its first step, and writes don't wait`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert((0..<1000).map { Entry(id: $0, text: "old") })
    var rows = store.rows(of: Entry.self, order: Entry.id.ascending).makeAsyncIterator()
    #expect(try await rows.next()?.id == 0)

    try await store.update(
      Entry.self, set: [Column("text", \Entry.text).set(to: "new")], where: .all)
    try await store.insert(Entry(id: 1000, text: "new"))

    var count = 1
    while let row = try await rows.next() {
      #expect(row.text == "old")
      count += 1
    }
    #expect(count == 1000)
    #expect(try await rows.next() == nil)
    #expect(try await store.count(Entry.self, where: Column("text", \Entry.text) == "new") == 1001)
  }

  @Test func `more iterations than readers wait neither for each other nor for reads`() async throws
  {
    let database = try Database()
    let store = try await database.open()
    try await store.insert((0..<1000).map { Entry(id: $0, text: "") })
    var iterators = (0..<10).map { _ in store.rows(of: Entry.self).makeAsyncIterator() }

    for index in iterators.indices {
      #expect(try await iterators[index].next() != nil)
      #expect(try await store.count(Entry.self) == 1000)
    }
  }

  @Test func `a cancelled task and a row that can't be decoded end an iteration`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert((0..<1000).map { Entry(id: $0, text: "") })
    let task = Task {
      var count = 0
      for try await _ in store.rows(of: Entry.self) {
        count += 1
        if count == 300 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      return count
    }
    struct Strict: StoredModel {
      static let table = "Entry"
      var text: Int
    }
    var rows = store.rows(of: Strict.self).makeAsyncIterator()

    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: LoadError.self) { try await rows.next() }
    #expect(try await rows.next() == nil)
  }

  @Test func `closing the store ends iterations with an error`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert((0..<1000).map { Entry(id: $0, text: "") })
    var rows = store.rows(of: Entry.self).makeAsyncIterator()
    _ = try await rows.next()

    await store.close()

    let error = await #expect(throws: LoadError.self) { while try await rows.next() != nil {} }
    #expect(error?.kind == .closed)
    var others = store.rows(of: Entry.self).makeAsyncIterator()
    await #expect(throws: LoadError.self) { try await others.next() }
  }

  #if os(Linux)
    @Test(arguments: 0..<3)
    func `an iteration always closes its connection`(way: Int) async throws {
      let database = try Database()
      let store = try await database.open()
      try await store.insert((0..<1000).map { Entry(id: $0, text: "") })
      _ = try await store.select(Entry.self)
      let folder = database.file.deletingLastPathComponent()
      let before = Descriptors.open(in: folder)

      for _ in 0..<20 {
        var count = 0
        do {
          for try await _ in store.rows(of: Entry.self) {
            count += 1
            if way == 1, count == 10 { break }
            if way == 2, count == 10 { throw CancellationError() }
          }
        } catch is CancellationError {}
      }

      // SQLite keeps a descriptor for the next connection, as long as others of the process have
      // locks on the file.
      #expect(Descriptors.open(in: folder) <= before + 1)
      await store.close()
      #expect(Descriptors.open(in: folder) == 0)
    }
  #endif

  @Test(arguments: [(10, 256), (10_000, 8), (1_000_000, 8)])
  func `a batch has a few hundred rows, and fewer large ones`(size: Int, most: Int) async throws {
    let database = try Database()
    let store = try await database.open()
    let text = String(repeating: "x", count: size)
    let count = min(1000, 20_000_000 / size)
    try await store.insert((0..<count).map { Entry(id: $0, text: text) })
    let queue = try store.readers.open()
    var (total, hasMore) = (0, true)

    while hasMore {
      let batch = try await queue.run { try $0.nextRows(of: Selection<Entry>()) }
      #expect(batch.rows.count <= most)
      (total, hasMore) = (total + batch.rows.count, batch.hasMore)
    }

    #expect(total == count)
  }

  @Test func `only a selection by a key runs on the caller's thread`()
    async throws
  {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item.numbered(3))
    let byKey = Selection(where: Item.id == "1" && Item.score > 0)

    #expect(byKey.isByKey)
    for condition in [Item.id == "1" || Item.score > 0, Item.score == 1, !(Item.id == "1"), .all] {
      #expect(!Selection(where: condition).isByKey)
    }
    // No connection is open yet, and opening takes long.
    #expect(try store.readers.runNow { _ in true } == nil)
    #expect(try await store.select(byKey).map(\.id) == ["1"])
    #expect(try store.readers.runNow { _ in true } == true)
    #expect(try await store.select(byKey).map(\.id) == ["1"])
    #expect(try await store.first(where: Item.id == "9") == nil)
    await store.close()
    let error = await #expect(throws: LoadError.self) { try await store.select(byKey) }
    #expect(error?.kind == .closed)
  }
}

extension Array {
  fileprivate init<Rows: AsyncSequence<Element, any Error>>(_ rows: Rows) async throws {
    self = []
    for try await row in rows { append(row) }
  }
}
