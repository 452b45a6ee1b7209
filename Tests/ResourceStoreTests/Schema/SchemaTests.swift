import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// Tables that grow, and files of other versions.
@Suite(.inTurn)
struct SchemaTests {
  struct First: StoredModel, Identifiable, Equatable {
    var id: Int
    var name: String
    static let table = "Thing"
  }

  struct Second: StoredModel, Identifiable, Equatable {
    var id: Int
    var name: String
    var size: Double?
    var tags: [String]?
    static let table = "Thing"
    static let name = Column(CodingKeys.name, \Second.name)
    static let keys = [ModelKey(Second.id), ModelKey(Second.name)]
    static let indices = [ModelKey<Second>(columns: ["size"])]
  }

  @Test func `a newer program adds columns to a table, and the older one still works`()
    async throws
  {
    let database = try Database()
    let old = try await database.open()
    try await old.insert(First(id: 1, name: "a"))
    let new = try await database.open()

    try await new.insert(Second(id: 2, name: "b", size: 1.5, tags: ["x"]))
    try await old.upsert([First(id: 2, name: "B"), First(id: 3, name: "c")])

    let rows = try await new.select(order: Second.name.ascending)
    #expect(
      rows == [
        Second(id: 2, name: "B", size: 1.5, tags: ["x"]), Second(id: 1, name: "a"),
        Second(id: 3, name: "c"),
      ])
    #expect(try await old.count(First.self) == 3)
  }

  @Test func `a new key applies to existing rows`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert([First(id: 1, name: "same"), First(id: 2, name: "same")])

    let error = await #expect(throws: LoadError.self) {
      try await store.insert(Second(id: 3, name: "other"))
    }

    #expect(error?.kind == .store)
    #expect(try await store.count(First.self) == 2)
  }

  struct Numbers: StoredModel {
    var int8: Int8?
    var uint16: UInt16?
    var int32: Int32?
    var uint64: UInt64?
    var uint: UInt?
    var float: Float?
    var bool: Bool?
    static let indices = ["int8", "uint16", "int32", "uint64", "uint", "float", "bool"].map {
      ModelKey<Numbers>(columns: [$0])
    }
  }

  @Test func `a column of any type exists even if its first value is nil`() async throws {
    let database = try Database()
    let store = try await database.open()

    // An index of a column that isn't there would be an error.
    try await store.insert(Numbers())

    try await store.insert(Numbers(int8: -1, uint16: 2, uint64: .max, float: 0.5))
    let rows = try await store.select(Numbers.self)
    #expect(rows.map(\.int8) == [nil, -1] && rows.map(\.uint16) == [nil, 2])
    #expect(rows.map(\.uint64) == [nil, .max] && rows.map(\.float) == [nil, 0.5])
  }

  @Test func `a column that only some rows encode is added with the first of them`() async throws {
    struct Sparse: StoredModel, Equatable {
      var values: [String: Int]

      init(_ values: [String: Int]) { self.values = values }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        values = try Dictionary(
          uniqueKeysWithValues: container.allKeys.map {
            ($0.stringValue, try container.decode(Int.self, forKey: $0))
          })
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        for (key, value) in values { try container.encode(value, forKey: AnyKey(stringValue: key)) }
      }
    }
    let store = try await SQLiteStore.inMemory()
    let rows = [Sparse(["a": 1]), Sparse(["b": 2, "a": 3]), Sparse(["c": 4]), Sparse(["a": 5])]

    try await store.insert(rows)

    #expect(try await store.select() == rows)
  }

  @Test func `a row without a required value is an error that names the table and the column`()
    async throws
  {
    struct Strict: StoredModel {
      var id: Int
      var size: Int
      static let table = "Thing"
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(First(id: 1, name: "a"))

    let error = await #expect(throws: LoadError.self) { try await store.select(Strict.self) }

    #expect(
      error?.reason == "a row of table Thing isn't a Strict, column size: there is no such column")
    #expect(error?.advice == "Make the property optional, or give it a value in init(from:)")
  }

  @Test func `an error inside a column's value names the column and the place`() async throws {
    struct Before: StoredModel {
      var tags: [[String]]
      static let table = "Tagged"
    }
    struct After: StoredModel {
      var tags: [[Int]]
      static let table = "Tagged"
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Before(tags: [[], ["a"]]))

    let error = await #expect(throws: LoadError.self) { try await store.select(After.self) }

    #expect(
      error?.reason.hasPrefix("a row of table Tagged isn't a After, column tags: at [1].[0]:")
        == true)
  }

  @Test func `a file with a newer schema is an error, and an older one is upgraded`() async throws {
    let database = try Database()
    func open(_ version: Int) async throws -> SQLiteStore {
      var settings = SQLiteSettings()
      settings.schemaVersion = version
      return try await database.open(settings)
    }
    try await open(1).close()
    try await open(3).close()

    let error = await #expect(throws: LoadError.self) { try await open(2) }

    #expect(error?.kind == .store)
    #expect(error?.reason.contains("version 3, known is 2") == true)
    #expect(error?.advice == "Update the program, or use another file")
  }

  struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
