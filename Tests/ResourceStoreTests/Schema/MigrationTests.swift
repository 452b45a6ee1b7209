import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// Properties whose type has changed since their column was created.
@Suite(.inTurn)
struct MigrationTests {
  struct Thing<Value: Codable & Sendable & Equatable>: StoredModel, Equatable {
    static var table: String { "Thing" }
    static var keys: [ModelKey<Thing>] { [ModelKey(columns: ["id"])] }
    static var value: Column<Thing, Value> { Column("value", \Thing.value) }
    var id: Int
    var value: Value
  }

  enum Level: Int, Codable, Sendable {
    case low = 1
    case high = 2
  }
  enum Name: String, Codable, Sendable { case first, second }
  struct Author: Codable, Sendable, Equatable { var name: String }

  private func thing<Value: Codable & Sendable & Equatable>(
    _ id: Int, _ value: Value
  ) -> Thing<Value> { Thing(id: id, value: value) }

  /// Keeps an old value, opens the file anew, adds a new value and reads both as the new type.
  private func change<Old: Codable & Sendable & Equatable, New: Codable & Sendable & Equatable>(
    _ old: Old, _ new: New
  ) async throws -> [New] {
    let database = try Database()
    let before = try await database.open()
    try await before.insert(thing(1, old))
    await before.close()
    let store = try await database.open()
    try await store.insert(thing(2, new))
    let rows = try await store.select(
      Thing<New>.self, order: Column(Thing<New>.keys[0].columns[0], \Thing<New>.id).ascending)
    return rows.map(\.value)
  }

  /// Expects that a new value is refused, and that the old one is as it was.
  private func refuses<Old: Codable & Sendable & Equatable, New: Codable & Sendable & Equatable>(
    _ old: Old, _ new: New, isComparedAlike: Bool = false
  ) async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(thing(1, old))

    for write in [store.insert, { _ = try await store.upsert($0) }, { try await store.update($0) }]
      as [(Thing<New>) async throws -> Void]
    {
      let error = await #expect(throws: LoadError.self) { try await write(thing(1, new)) }
      #expect(error?.kind == .store)
      #expect(error?.reason.contains("value") == true, "\(error as Any)")
    }
    await #expect(throws: LoadError.self) {
      try await store.update(Thing<New>.self, set: [Thing<New>.value.set(to: new)], where: .all)
    }
    if isComparedAlike {
      #expect(try await store.delete(Thing<New>.self, where: Thing<New>.value == new) == 0)
    } else {
      await #expect(throws: LoadError.self) {
        try await store.delete(Thing<New>.self, where: Thing<New>.value == new)
      }
    }

    #expect(try await store.select() == [thing(1, old)])
  }

  @Test func `a value that a column can't store unchanged is an error before anything is written`()
    async throws
  {
    try await refuses(42, "0042")
    try await refuses("0042", 42)
    try await refuses(1.5, "1.5")
    try await refuses("1.5", 1.5)
    try await refuses(1.5, 1)
    try await refuses("text", Data("text".utf8))
    try await refuses(Data([1]), "text", isComparedAlike: true)
    try await refuses(42, Data([42]))
    try await refuses(Data([42]), 42, isComparedAlike: true)
    try await refuses(["a"], 1, isComparedAlike: true)
    try await refuses(Date(timeIntervalSinceReferenceDate: 1.5), "2001")
    try await refuses(UInt64.max, 0.5)
  }

  @Test func `rows that can't be decoded as the new type are an error before anything is written`()
    async throws
  {
    try await refuses("Ada", Author(name: "Ada"), isComparedAlike: true)
    try await refuses(7, Level.low, isComparedAlike: true)
    try await refuses(1, Name.first, isComparedAlike: true)
    try await refuses("third", Name.first, isComparedAlike: true)
  }

  @Test func `values that fit are read, and new ones stored unchanged`() async throws {
    #expect(try await change(1, 0.5) == [1, 0.5])
    #expect(try await change(1, Double.nan)[0] == 1)
    #expect(try await change(3, UInt64.max) == [3, .max])
    #expect(try await change(UInt64(3), -1) == [3, -1])
    #expect(try await change(1, Level.high) == [.low, .high])
    #expect(try await change(Level.low, 2) == [1, 2])
    #expect(try await change("first", Name.second) == [.first, .second])
    #expect(try await change(Name.first, "0042") == ["first", "0042"])
    #expect(try await change("text", AnyValue.int(42)) == [.string("text"), .int(42)])
    #expect(try await change(1, AnyValue.string("0042")) == [.int(1), .string("0042")])
    #expect(try await change(1, Int?.none) == [1, nil])
    #expect(try await change(Int?.none, "0042" as String?) == [nil, "0042"])
    #expect(try await change(true, 2) == [1, 2])
    #expect(
      try await change("https://example.org", URL(string: "https://example.com")).count == 2)
  }

  /// Encodes its value by hand, whatever its type.
  struct Loose: StoredModel, Equatable {
    static let table = "Thing"
    var value: AnyValue

    enum CodingKeys: CodingKey { case value }

    init(_ value: AnyValue) { self.value = value }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      switch value {
      case .int(let value): try container.encode(value, forKey: .value)
      case .string(let value): try container.encode(value, forKey: .value)
      default: try container.encodeNil(forKey: .value)
      }
    }
  }

  @Test func `encoding several types under one key is an error, and nothing is stored`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()

    let error = await #expect(throws: LoadError.self) {
      try await store.insert([Loose(.null), Loose(.int(1)), Loose(.string("0042"))])
    }

    #expect(error?.reason.contains("value") == true)
    #expect(try await store.count(Loose.self) == 0)
    try await store.insert([Loose(.null), Loose(.int(1))])
    #expect(try await store.select() == [Loose(.null), Loose(.int(1))])
  }

  @Test func `a rebuilt table keeps its rows, keys and indices`() async throws {
    struct Old: StoredModel, Identifiable {
      static let table = "Thing"
      static let keys = [ModelKey(Old.id), ModelKey<Old>(columns: ["name"])]
      static let indices = [ModelKey<Old>(columns: ["value"])]
      var id: Int
      var name: String
      var value: Int
    }
    struct New: StoredModel, Identifiable, Equatable {
      static let table = "Thing"
      static let name = Column(CodingKeys.name, \New.name)
      var id: Int
      var name: String
      var value: Double
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert((0..<500).map { Old(id: $0, name: "\($0)", value: $0) })

    try await store.upsert(New(id: 7, name: "7", value: 0.5))

    let rows = try await store.select(New.self, order: New.id.ascending)
    #expect(rows.map(\.value) == (0..<500).map { $0 == 7 ? 0.5 : Double($0) })
    // The second key is the old type's, and still applies.
    await #expect(throws: LoadError.self) {
      try await store.insert(New(id: 501, name: "7", value: 1))
    }
    await #expect(throws: LoadError.self) {
      try await store.insert(New(id: 7, name: "x", value: 1))
    }
  }

  @Test func `another connection notices that a type has changed`() async throws {
    let database = try Database()
    let (old, new) = (try await database.open(), try await database.open())
    try await old.insert(thing(1, 1))
    try await new.insert(thing(2, 0.5))

    let error = await #expect(throws: LoadError.self) { try await old.insert(thing(3, 3)) }

    #expect(error?.kind == .store)
    #expect(try await new.select(Thing<Double>.self).map(\.value) == [1, 0.5])
  }
}
