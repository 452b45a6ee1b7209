import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// Lists that follow the database.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct UpdatesTests {
  @Test func `the rows are read at once and after every commit that changes the table`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Item.numbered(1))
    var lists = store.updates(order: Item.id.ascending).makeAsyncIterator()

    #expect(try await lists.next()?.count == 1)
    try await store.insert(Item(id: "2", title: ""))
    #expect(try await lists.next()?.count == 2)
    try await store.delete(Item(id: "1", title: ""))
    #expect(try await lists.next()?.map(\.id) == ["2"])
  }

  @Test func `commits that change nothing, or other tables, are ignored`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Item.numbered(2))
    var lists = store.updates(of: Item.self).makeAsyncIterator()
    _ = try await lists.next()

    try await store.upsert(Item.numbered(2))
    try await store.insert(Note(text: "n"))
    await #expect(throws: LoadError.self) { try await store.insert(Item.numbered(3)) }
    try await store.insert(Item(id: "3", title: ""))

    #expect(try await lists.next()?.count == 3)
  }

  @Test
  func `a fresh list that keeps the user's changes is an update only if it has something new`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Item.numbered(2))
    try await store.update(Item.self, set: [Item.isRead.set(to: true)], where: .all)
    var lists = store.updates(of: Item.self).makeAsyncIterator()
    _ = try await lists.next()

    try await store.upsert(Item.numbered(3), keeping: Item.isRead)
    #expect(try await lists.next()?.map(\.isRead) == [true, true, false])

    // A reported change would be read now, which fails in a closed store.
    try await store.upsert(Item.numbered(3), keeping: Item.isRead)
    await store.close()
    #expect(try await lists.next() == nil)
  }

  @Test func `a table that doesn't exist yet is read as empty while others are created`()
    async throws
  {
    let database = try Database()
    let store = try await database.open()
    let creating = Task {
      for number in 0..<1000 {
        _ = try await store.write { try $0.execute("CREATE TABLE other\(number) (a)") }
      }
      try await store.insert(Item.numbered(1))
    }

    var counts: Set<Int> = []
    while !counts.contains(1) { counts.insert(try await store.select(Item.self).count) }

    try await creating.value
    await store.close()
  }

  @Test func `a slow consumer gets the latest rows`() async throws {
    let store = try await SQLiteStore.inMemory()
    var lists = store.updates(where: Entry.id > 0).makeAsyncIterator()
    #expect(try await lists.next() == [])

    for id in 0..<10 { try await store.insert(Entry(id: id, text: "")) }

    #expect(try await lists.next()?.count == 9)
  }

  @Test func `closing the store ends the updates`() async throws {
    let store = try await SQLiteStore.inMemory()
    var lists = store.updates(of: Item.self).makeAsyncIterator()
    _ = try await lists.next()

    await store.close()

    #expect(try await lists.next() == nil)
    #expect(try await lists.next() == nil)
  }

  @Test func `cancelling the task ends the updates`() async throws {
    let store = try await SQLiteStore.inMemory()
    let (first, isFollowing) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for try await _ in store.updates(of: Item.self) { isFollowing.finish() }
    }
    for await _ in first {}

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a row that can't be decoded ends the updates with an error`() async throws {
    struct Strict: StoredModel {
      var missing: Int
      static let table = "Note"
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Note(text: "a"))
    var lists = store.updates(of: Strict.self).makeAsyncIterator()

    await #expect(throws: LoadError.self) { try await lists.next() }
    #expect(try await lists.next() == nil)
  }

  @Test func `a commit of another connection is found by a check`() async throws {
    let database = try Database()
    let (store, other) = (try await database.open(), try await database.open())
    var lists = store.updates(of: Note.self).makeAsyncIterator()
    #expect(try await lists.next() == [])

    try await other.insert(Note(text: "from outside"))
    try await store.checkForOtherProcesses()

    #expect(try await lists.next() == [Note(text: "from outside")])
  }

  @Test func `a commit of another connection is found after the interval`() async throws {
    let database = try Database()
    var settings = SQLiteSettings()
    settings.otherProcessesInterval = .milliseconds(5)
    let (store, other) = (try await database.open(settings), try await database.open())
    var lists = store.updates(of: Note.self).makeAsyncIterator()
    #expect(try await lists.next() == [])

    try await other.insert(Note(text: "from outside"))

    #expect(try await lists.next() == [Note(text: "from outside")])
  }
}
