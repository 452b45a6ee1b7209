import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// Models whose keys differ from those that their tables were created with.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct KeyChangeTests {
  /// The rows of a table before its key changes. The key of an integer is the number of the row.
  struct ByNumber: StoredModel {
    static let table = "Vote"
    var a: Int
    var b: String
    var c = 0
    static let keys = [ModelKey<Self>(columns: ["a"])]
  }

  struct ByText: StoredModel {
    static let table = "Vote"
    var a: Int
    var b: String
    var c = 0
    static let keys = [ModelKey<Self>(columns: ["b"])]
  }

  struct ByBoth: StoredModel, Hashable {
    static let table = "Vote"
    var a: Int
    var b: String
    var c = 0
    static let keys = [ModelKey<Self>(columns: ["a", "b"])]
    static let rows = [ByBoth(a: 1, b: "x", c: 1), ByBoth(a: 2, b: "y", c: 2)]
  }

  struct WithoutKey: StoredModel {
    static let table = "Vote"
    var a: Int
    var b: String
    var c = 0
  }

  /// Writes two rows by a former version of the program, which ends.
  private func former<M: StoredModel>(_ rows: [M]) async throws -> Database {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(rows)
    await store.close()
    return database
  }

  @Test(arguments: [0, 1])
  func `a key with another column accepts rows that the former one refused`(
    former: Int
  ) async throws {
    let database =
      former == 0
      ? try await self.former([ByNumber(a: 1, b: "x", c: 1), ByNumber(a: 2, b: "y", c: 2)])
      : try await self.former([ByText(a: 1, b: "x", c: 1), ByText(a: 2, b: "y", c: 2)])
    let store = try await database.open()

    let added = [ByBoth(a: 1, b: "y", c: 3), ByBoth(a: 2, b: "x", c: 4)]
    #expect(try await store.upsert(added) == 2)
    #expect(try await store.upsert(added[0]) == false)
    #expect(try await store.upsert(ByBoth(a: 1, b: "y", c: 5)))

    var expected = Set(ByBoth.rows + added)
    expected.remove(added[0])
    expected.insert(ByBoth(a: 1, b: "y", c: 5))
    #expect(try await Set(store.select(ByBoth.self)) == expected)
    await #expect(throws: LoadError.self) { try await store.insert(added[1]) }
    try await store.delete(ByBoth(a: 2, b: "x"))
    #expect(try await store.count(ByBoth.self) == 3)
    await store.close()
    let again = try await database.open()
    #expect(try await again.upsert(ByBoth(a: 2, b: "x", c: 6)))
    await again.close()
  }

  @Test func `an assignment accepts values that a former key refused`() async throws {
    let database = try await former([ByNumber(a: 1, b: "x"), ByNumber(a: 2, b: "y")])
    let store = try await database.open()
    let column = Column<ByBoth, Int>("a", \ByBoth.a)

    #expect(try await store.update(ByBoth.self, set: [column.set(to: 1)], where: .all) == 2)

    #expect(try await store.select(ByBoth.self).map(\.a) == [1, 1])
    await store.close()
  }

  @Test func `a model without its former key accepts every row`() async throws {
    let database = try await former([ByText(a: 1, b: "x")])
    let store = try await database.open()

    try await store.insert([WithoutKey(a: 1, b: "x"), WithoutKey(a: 1, b: "x")])

    #expect(try await store.count(WithoutKey.self) == 3)
    await store.close()
  }

  @Test func `a former key is removed with the transaction, and restored if that is undone`()
    async throws
  {
    struct Undone: Error {}
    let database = try await former([ByNumber(a: 1, b: "x")])
    let store = try await database.open()

    await #expect(throws: Undone.self) {
      try await store.transaction { transaction in
        try transaction.insert(ByBoth(a: 1, b: "y"))
        throw Undone()
      }
    }

    await store.close()
    let old = try await database.open()
    await #expect(throws: LoadError.self) { try await old.insert(ByNumber(a: 1, b: "z")) }
    #expect(try await old.count(ByNumber.self) == 1)
    await old.close()
  }

  @Test func `a key that another model of this program declares isn't a former one`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(ByText(a: 1, b: "x"))

    await #expect(throws: LoadError.self) { try await store.insert(ByBoth(a: 2, b: "x")) }

    #expect(try await store.count(ByText.self) == 1)
    try await store.upsert(ByText(a: 3, b: "x"))
  }

  struct Narrowed: StoredModel, Hashable {
    static let table = "Vote"
    var a: Int
    var b: String
    var c = 0
    static let keys = [ModelKey<Self>(columns: ["a"])]
  }

  struct Ballot: StoredModel, Hashable {
    static let table = "Vote"
    var a: Int
    var b: String
    var c = 0
    static let a = Column(CodingKeys.a, \Ballot.a)
    static let c = Column(CodingKeys.c, \Ballot.c)
    static let keys = [ModelKey(Ballot.a)]
    static let duplicateRule = DuplicateRule.keepFirst(Ballot.c.descending)
  }

  private static let duplicates = [
    ByBoth(a: 1, b: "x", c: 1), ByBoth(a: 1, b: "y", c: 3), ByBoth(a: 1, b: "z", c: 2),
    ByBoth(a: 2, b: "x", c: 9),
  ]

  @Test func `a narrower key with rows that have the same one is an error, and deletes nothing`()
    async throws
  {
    let database = try await former(Self.duplicates)
    let store = try await database.open()

    let error = await #expect(throws: LoadError.self) {
      try await store.upsert(Narrowed(a: 3, b: "x"))
    }

    #expect(
      error?.reason
        == "Narrowed has a new key (a), but 2 rows of table Vote have one that another row has")
    #expect(error?.advice?.contains("duplicateRule") == true)
    #expect(try await Set(store.select(ByBoth.self)) == Set(Self.duplicates))
    await store.close()
  }

  @Test func `a narrower key keeps the row that the model's rule selects`() async throws {
    let database = try await former(Self.duplicates)
    let store = try await database.open()

    #expect(try await store.upsert(Ballot(a: 1, b: "n", c: 4)))
    #expect(try await store.upsert(Ballot(a: 3, b: "n")))

    #expect(
      try await store.select(order: Ballot.a.ascending) == [
        Ballot(a: 1, b: "n", c: 4), Ballot(a: 2, b: "x", c: 9), Ballot(a: 3, b: "n"),
      ])
    await store.close()
  }

  @Test func `the rule keeps the first of equal rows, and treats nil as a value`() async throws {
    struct Old: StoredModel {
      static let table = "Note"
      var key: String?
      var rowid: Int
    }
    struct New: StoredModel, Hashable {
      static let table = "Note"
      var key: String?
      var rowid: Int
      static let keys = [ModelKey<New>(columns: ["key"])]
      static let duplicateRule = DuplicateRule<New>.keepFirst()
    }
    let database = try await former([
      Old(key: nil, rowid: 5), Old(key: nil, rowid: 1), Old(key: "a", rowid: 5),
      Old(key: "a", rowid: 4),
    ])
    let store = try await database.open()

    try await store.upsert(New(key: "b", rowid: 1))

    #expect(
      try await Set(store.select(New.self)) == [
        New(key: nil, rowid: 5), New(key: "a", rowid: 5), New(key: "b", rowid: 1),
      ])
    await store.close()
  }

  enum First {
    struct Entry: StoredModel, Identifiable { var id: Int }
  }
  enum Second {
    struct Entry: StoredModel, Identifiable {
      static let table = "Entry"
      static let sharesTable = true
      var id: Int
      var text: String?
    }
  }
  enum Third {
    struct Entry: StoredModel, Identifiable {
      static let table = "Entry 3"
      var id: Int
    }
  }
  enum Fourth {
    struct Entry: StoredModel, Identifiable { var id: Int }
  }

  @Test(arguments: [false, true])
  func `types with one name share a store, and a table if one of them declares it`(
    isReversed: Bool
  ) async throws {
    let store = try await SQLiteStore.inMemory()
    if isReversed { try await store.insert(Second.Entry(id: 1, text: "a")) }
    try await store.insert(First.Entry(id: 2))
    if !isReversed { try await store.insert(Second.Entry(id: 1, text: "a")) }
    try await store.insert(Third.Entry(id: 1))

    #expect(try await store.count(First.Entry.self) == 2)
    #expect(try await store.count(Second.Entry.self) == 2)
    #expect(try await store.count(Third.Entry.self) == 1)
    let error = await #expect(throws: LoadError.self) {
      try await store.insert(Fourth.Entry(id: 1))
    }
    #expect(error?.advice?.contains("sharesTable") == true)
  }
}
