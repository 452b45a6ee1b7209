import Foundation
import ResourceLoading
import ResourceStore
import TestSupport
import Testing

/// When rows have the same key: with nil, with numbers that aren't one, and with names that differ
/// in case.
@Suite(.inTurn)
struct KeyTests {
  struct Vote: StoredModel, Equatable {
    var user: Int
    var item: String?
    var value = 0

    static let user = Column(CodingKeys.user, \Vote.user)
    static let item = Column(CodingKeys.item, \Vote.item)
    static let keys = [ModelKey(Vote.user, Vote.item)]
  }

  @Test func `nil in a key is a value like any other`() async throws {
    let store = try await SQLiteStore.inMemory()

    try await store.upsert(Vote(user: 1, value: 1))
    #expect(try await store.upsert(Vote(user: 1, value: 2)))
    #expect(try await !store.upsert(Vote(user: 1, value: 2)))
    try await store.upsert([Vote(user: 2), Vote(user: 1, item: "a"), Vote(user: 1, item: "0")])

    let error = await #expect(throws: LoadError.self) { try await store.insert(Vote(user: 1)) }
    #expect(error?.advice?.contains("upsert") == true)
    await #expect(throws: LoadError.self) {
      try await store.update(Vote.self, set: [Vote.item.set(to: nil)], where: Vote.item == "a")
    }
    #expect(
      try await store.select(order: Vote.user.ascending, Vote.item.ascending) == [
        Vote(user: 1, value: 2), Vote(user: 1, item: "0"), Vote(user: 1, item: "a"), Vote(user: 2),
      ])
    #expect(try await store.delete(Vote(user: 1)))
    #expect(try await store.count(Vote.self) == 3)
  }

  @Test func `the second key of a model is unique for nil too`() async throws {
    struct Account: StoredModel, Identifiable {
      var id: Int
      var mail: String?
      static let keys = [ModelKey(Account.id), ModelKey<Account>(columns: ["mail"])]
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Account(id: 1))

    await #expect(throws: LoadError.self) { try await store.insert(Account(id: 2)) }

    try await store.upsert(Account(id: 1, mail: "a"))
    try await store.insert(Account(id: 2))
    #expect(try await store.count(Account.self) == 2)
  }

  struct Draft: StoredModel, Identifiable, Equatable {
    var id: Int?
    var text = ""
  }

  @Test func `an id of nil stays nil, and is one row`() async throws {
    let store = try await SQLiteStore.inMemory()

    try await store.upsert(Draft(text: "a"))
    try await store.upsert(Draft(text: "b"))
    try await store.upsert(Draft(id: 7, text: "c"))

    #expect(
      try await store.select(order: Draft.id.ascending) == [
        Draft(text: "b"), Draft(id: 7, text: "c"),
      ])
    await #expect(throws: LoadError.self) { try await store.insert(Draft(id: 7)) }
  }

  @Test func `an id that becomes optional can be nil, also in an existing table`() async throws {
    struct Old: StoredModel, Identifiable {
      static let table = "Draft"
      var id: Int
      var text = ""
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert([Old(id: 1, text: "one"), Old(id: 2, text: "two")])

    try await store.insert(Draft(text: "none"))
    try await store.upsert(Draft(id: 2, text: "TWO"))
    try await store.upsert(Old(id: 1, text: "ONE"))

    #expect(
      try await store.select(order: Draft.id.ascending) == [
        Draft(text: "none"), Draft(id: 1, text: "ONE"), Draft(id: 2, text: "TWO"),
      ])
  }

  @Test func `ids that an update makes nil stay unique`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert([Draft(id: 1, text: "a"), Draft(id: 2, text: "b")])

    await #expect(throws: LoadError.self) {
      try await store.update(Draft.self, set: [Draft.id.set(to: nil)], where: .all)
    }
    try await store.upsert(Draft(id: 1, text: "c"))
    try await store.update(Draft.self, set: [Draft.id.set(to: nil)], where: Draft.id == 2)

    #expect(
      try await store.select(order: Draft.id.ascending) == [
        Draft(text: "b"), Draft(id: 1, text: "c"),
      ])
  }

  @Test func `an id that only some rows encode is nil in the others`() async throws {
    struct Sparse: StoredModel, Equatable {
      var id: Int?
      var text = ""
      static let keys = [ModelKey<Sparse>(columns: ["id"])]

      enum CodingKeys: CodingKey { case id, text }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let id { try container.encode(id, forKey: .id) }
        try container.encode(text, forKey: .text)
      }
    }
    let store = try await SQLiteStore.inMemory()

    try await store.insert([Sparse(id: 5), Sparse(text: "a")])
    try await store.upsert(Sparse(text: "b"))

    #expect(try await store.select() == [Sparse(id: 5), Sparse(text: "b")])
  }

  struct Measure: StoredModel, Equatable {
    var at: Double
    var size: Double? = nil
    var day: Date? = nil
    static let at = Column(CodingKeys.at, \Measure.at)
    static let size = Column(CodingKeys.size, \Measure.size)
    static let day = Column(CodingKeys.day, \Measure.day)
    static let keys = [ModelKey(Measure.at)]
  }

  @Test func `in keys, NaN is one value, and zero is one with either sign`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.upsert([Measure(at: .nan, size: 1), Measure(at: 0, size: 1)])

    try await store.upsert([Measure(at: .nan, size: 2), Measure(at: -0.0, size: 2)])

    #expect(try await store.select(Measure.self).map(\.size) == [2, 2])
    #expect(try await store.delete(Measure(at: .nan)))
  }

  @Test func `zero has no sign, declared as a number or not`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Measure(at: 1, size: -0.0))
    #expect(try await store.first(Measure.self)?.size?.sign == .plus)

    #expect(try await !store.upsert(Measure(at: 1, size: 0)))
    try await store.update(Measure.self, set: [Measure.size.set(to: -0.0)], where: .all)
    #expect(try await store.first(where: Measure.size == -0.0)?.size?.sign == .plus)
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, Date.distantPast.timeIntervalSinceReferenceDate,
  ])
  func `NaN and infinite dates are read unchanged`(interval: Double)
    async throws
  {
    let date = Date(timeIntervalSinceReferenceDate: interval)
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Measure(at: 1, day: date))
    try await store.update(Measure.self, set: [Measure.day.set(to: date)], where: .all)

    let read = try await store.first(Measure.self)?.day?.timeIntervalSinceReferenceDate

    #expect(read == interval || (read?.isNaN == true && interval.isNaN))
    let list = try await store.select(where: Measure.day != nil)
    #expect(list.count == 1)
  }

  @Test func `a key that differs only in case is the same column, as in SQLite`()
    async throws
  {
    struct Old: StoredModel, Identifiable {
      static let table = "Thing"
      var id: Int
      var userName: String
    }
    struct New: StoredModel, Identifiable, Equatable {
      static let table = "thing"
      static let name = Column(CodingKeys.username, \New.username)
      var id: Int
      var username: String?
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Old(id: 1, userName: "a"))
    var lists = store.updates(of: Old.self).makeAsyncIterator()
    _ = try await lists.next()

    #expect(try await store.select() == [New(id: 1, username: "a")])
    try await store.upsert([New(id: 1, username: "A"), New(id: 2, username: "b")])

    #expect(try await lists.next()?.map(\.userName) == ["A", "b"])
    #expect(try await store.select(where: New.name == "b").map(\.id) == [2])
  }

  @Test(arguments: ["rowid", "oid", "_rowid_", "ROWID"])
  func `a property can have SQLite's name of the row number`(name: String) async throws {
    struct Later: StoredModel, Equatable {
      var text: String
      var number: Int?

      init(_ text: String, _ number: Int? = nil) { (self.text, self.number) = (text, number) }

      struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }

      @TaskLocal static var name = ""
      static let table = "Note"
      static var number: Column<Later, Int?> { Column(name, \Later.number) }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        text = try container.decode(String.self, forKey: Key(stringValue: "text"))
        number = try container.decodeIfPresent(Int.self, forKey: Key(stringValue: Self.name))
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(text, forKey: Key(stringValue: "text"))
        try container.encodeIfPresent(number, forKey: Key(stringValue: Self.name))
      }
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Note(text: "a"))

    try await Later.$name.withValue(name) {
      #expect(try await store.count(Later.self, where: Later.number == 1) == 0)
      #expect(try await store.select(where: Later.number == nil) == [Later("a")])
      try await store.insert(Later("b", 9))
      #expect(try await store.select(where: Later.number == 9) == [Later("b", 9)])
      #expect(try await store.delete(Later.self, where: Later.number == 2) == 0)
    }
  }
}
