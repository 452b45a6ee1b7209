import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

@Suite(.inTurn)
struct SQLiteStoreTests {
  @Test func `a model without a table has no rows`() async throws {
    let store = try await SQLiteStore.inMemory()

    #expect(try await store.select(Item.self) == [])
    #expect(try await store.count(Item.self) == 0)
    #expect(try await store.delete(Item.self, where: Item.id == "1") == 0)
    #expect(try await store.update(Item.self, set: [Item.score.set(to: 1)], where: .all) == 0)
  }

  @Test func `inserting no rows creates no table`() async throws {
    let store = try await SQLiteStore.inMemory()

    try await store.insert([Item]())

    #expect(try await store.count(Item.self) == 0)
  }

  @Test func `a taken key is an error that names it, and no row of the call is inserted`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Item(id: "2", title: "old"))

    let error = await #expect(throws: LoadError.self) { try await store.insert(Item.numbered(3)) }

    #expect(error?.kind == .store)
    #expect(error?.reason.contains("Item.id") == true)
    #expect(error?.advice?.contains("upsert") == true)
    #expect(try await store.select(Item.self).map(\.title) == ["old"])
  }

  @Test func `an error of SQLite names the file`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item(id: "1", title: "old"))

    let error = await #expect(throws: LoadError.self) {
      try await store.insert(Item(id: "1", title: "new"))
    }

    #expect(error?.reason.contains("it's a \"store\".sqlite has a row") == true)
  }

  @Test func `upsert inserts, replaces, and counts only changed rows`() async throws {
    let store = try await SQLiteStore.inMemory()

    #expect(try await store.upsert([Item]()) == 0)
    #expect(try await store.upsert(Item.numbered(3)) == 3)
    #expect(try await store.upsert(Item.numbered(3)) == 0)
    #expect(try await store.upsert(Item(id: "2", title: "new")))

    let items = try await store.select(order: Item.id.ascending)
    #expect(items.map(\.title) == ["title 1", "new", "title 3"])
  }

  @Test func `upsert keeps columns of existing rows, and inserts the others completely`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()
    try await store.insert([
      Item(id: "1", title: "old", isRead: true, score: 7),
      Item(id: "2", title: "same", isRead: true, score: 8),
    ])
    let fresh = [
      Item(id: "1", title: "new"), Item(id: "2", title: "same"),
      Item(id: "3", title: "added", isRead: true, score: 9),
    ]

    let changed = try await store.upsert(fresh, keeping: Item.isRead, Item.score)
    let again = try await store.upsert(fresh, keeping: Item.isRead, Item.score)
    let one = try await store.upsert(
      [Item(id: "3", title: "added", score: 5)], keeping: Item.isRead)

    #expect(changed == 2 && again == 0 && one == 1)
    #expect(
      try await store.select(order: Item.id.ascending) == [
        Item(id: "1", title: "new", isRead: true, score: 7),
        Item(id: "2", title: "same", isRead: true, score: 8),
        Item(id: "3", title: "added", isRead: true, score: 5),
      ])
  }

  @Test func `upsert that keeps columns works with nil in keys and with keys of all columns`()
    async throws
  {
    struct Mark: StoredModel, Equatable {
      var user: Int
      var item: String?
      var note: String

      static let user = Column("user", \Mark.user)
      static let item = Column("item", \Mark.item)
      static let note = Column("note", \Mark.note)
      static var keys: [ModelKey<Mark>] { [ModelKey(Mark.user, Mark.item)] }
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Mark(user: 1, item: nil, note: "mine"))

    let changed = try await store.transaction {
      try $0.upsert([Mark(user: 1, item: nil, note: "theirs")], keeping: Mark.note)
    }

    #expect(changed == 0)
    #expect(try await store.select(Mark.self) == [Mark(user: 1, item: nil, note: "mine")])
  }

  @Test func `a column to keep that the model doesn't encode is an error`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Item(id: "1", title: "old"))
    let mistyped = Column("isread?", \Item.isRead)

    let error = await #expect(throws: LoadError.self) {
      try await store.upsert([Item(id: "1", title: "new")], keeping: mistyped)
    }

    #expect(error?.reason.contains("isread?") == true)
    #expect(try await store.select(Item.self).map(\.title) == ["old"])
  }

  @Test func `update and delete find rows by their key`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Item.numbered(3))

    #expect(try await store.update([Item(id: "1", title: "new"), Item(id: "9", title: "no")]) == 1)
    #expect(try await store.delete(Item(id: "3", title: "whatever")))
    #expect(try await !store.delete(Item(id: "9", title: "no")))

    let items = try await store.select(order: Item.id.ascending)
    #expect(items == [Item(id: "1", title: "new"), Item(id: "2", title: "title 2", score: 2)])
  }

  @Test func `columns are assigned where a condition matches`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Item.numbered(4))

    let count = try await store.update(
      Item.self, set: [Item.isRead.set(to: true), Item.published.set(to: nil)],
      where: Item.score > 2)

    #expect(count == 2)
    #expect(try await store.select(where: Item.isRead == true).map(\.score) == [3, 4])
  }

  @Test func `an integer id is the number of the row`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.upsert([Entry(id: 5, text: "five"), Entry(id: -1, text: "minus")])
    try await store.upsert(Entry(id: 5, text: "FIVE"))

    let entries = try await store.select(order: Entry.id.ascending)

    #expect(entries == [Entry(id: -1, text: "minus"), Entry(id: 5, text: "FIVE")])
  }

  @Test func `an id can be as large as UInt64.max`() async throws {
    struct Big: StoredModel, Identifiable, Equatable {
      var id: UInt64
    }
    let store = try await SQLiteStore.inMemory()
    let ids: [UInt64] = [1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]
    try await store.insert(ids.reversed().map { Big(id: $0) })

    #expect(try await store.select(order: Big.id.ascending).map(\.id) == ids)
    #expect(try await store.count(Big.self, where: Big.id > UInt64(Int64.max)) == 2)
    #expect(try await store.delete(Big(id: .max)))
  }

  @Test func `a key of two columns distinguishes rows by both`() async throws {
    struct Vote: StoredModel, Equatable {
      var user: Int
      var item: String
      var value: Int
      static let user = Column("user", \Vote.user)
      static let item = Column("item", \Vote.item)
      static let keys = [ModelKey(Vote.user, Vote.item)]
    }
    let store = try await SQLiteStore.inMemory()

    try await store.upsert([Vote(user: 1, item: "a", value: 1), Vote(user: 2, item: "a", value: 2)])
    try await store.upsert(Vote(user: 1, item: "a", value: 3))

    #expect(try await store.select(order: Vote.user.ascending).map(\.value) == [3, 2])
  }

  @Test func `an operation that needs a key throws an error for a model without keys`() async throws
  {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Note(text: "a"))

    let error = await #expect(throws: LoadError.self) { try await store.upsert(Note(text: "a")) }

    #expect(error?.reason == "Note has no key to find its rows by")
  }

  @Test func `a key of a column that isn't encoded is an error`() async throws {
    struct Odd: StoredModel {
      var a: Int
      static var keys: [ModelKey<Odd>] { [ModelKey(columns: ["b"])] }
    }
    let store = try await SQLiteStore.inMemory()

    let error = await #expect(throws: LoadError.self) { try await store.insert(Odd(a: 1)) }

    #expect(error?.reason.contains("column b") == true)
  }

  @Test func `keywords, quotes and spaces are allowed in names`() async throws {
    struct Hostile: StoredModel, Equatable {
      var select: Int
      var from: String
      var quoted: String
      var spaced: String
      var empty: String

      enum CodingKeys: String, CodingKey {
        case select, from
        case quoted = "a\"b'; DROP TABLE x; --"
        case spaced = "a b\n?1 ünï 👍"
        case empty = "1"
      }

      static let table = "order \"by\" ' [x]"
      static let quoted = Column(CodingKeys.quoted, \Hostile.quoted)
      static let select = Column(CodingKeys.select, \Hostile.select)
      static let keys = [ModelKey(Hostile.quoted, Hostile.select)]
      static let indices = [ModelKey(Hostile.quoted)]
    }
    let store = try await SQLiteStore.inMemory()
    var row = Hostile(select: 1, from: "f", quoted: "q", spaced: "s", empty: "e")
    try await store.insert(row)
    row.from = "other"
    try await store.upsert(row)

    #expect(
      try await store.select(where: Hostile.quoted == "q", order: Hostile.select.ascending) == [row]
    )
    #expect(try await store.update(row))
    #expect(try await store.delete(row))
  }

  @Test(arguments: ["a\0b", "sqlite_master"])
  func `an invalid table is an error`(name: String) async throws {
    struct Named: StoredModel {
      var a: Int
      @TaskLocal static var table = ""
    }
    let store = try await SQLiteStore.inMemory()

    await Named.$table.withValue(name) {
      let error = await #expect(throws: LoadError.self) { try await store.insert(Named(a: 1)) }
      #expect(error?.kind == .store)
    }
  }

  @Test func `columns that differ only in case are an error`() async throws {
    struct Twice: StoredModel {
      var name: Int
      var other: Int

      enum CodingKeys: String, CodingKey {
        case name
        case other = "NAME"
      }
    }
    let store = try await SQLiteStore.inMemory()

    await #expect(throws: LoadError.self) { try await store.insert(Twice(name: 1, other: 2)) }
  }

  @Test func `a model that is a list or has nested containers is an error`()
    async throws
  {
    struct List: StoredModel {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(1)
      }
    }
    let store = try await SQLiteStore.inMemory()

    let error = await #expect(throws: LoadError.self) { try await store.insert(List()) }

    #expect(
      error?.reason
        == "List can't be stored as a row: a row has keys with one value each, not a list"
    )
  }

  @Test func `a model may have the name of SQLite's new row`() async throws {
    struct Excluded: StoredModel, Identifiable, Equatable {
      var id: Int
      var text: String
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Excluded(id: 1, text: "a"))

    #expect(try await store.upsert(Excluded(id: 1, text: "b")))
    #expect(try await !store.upsert(Excluded(id: 1, text: "b")))
    #expect(try await store.select() == [Excluded(id: 1, text: "b")])
  }
}
