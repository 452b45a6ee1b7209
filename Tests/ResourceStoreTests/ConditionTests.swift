import Foundation
import ResourceLoading
import ResourceStore
import TestSupport
import Testing

/// Conditions, order, limit and offset.
@Suite(.inTurn)
struct ConditionTests {
  struct Person: Model, Equatable {
    var name: String
    var age: Int?
    var height: Double?
    var kind: Kind

    enum Kind: String, Codable, Sendable { case guest, host }

    static let name = Column(CodingKeys.name, \Person.name)
    static let age = Column(CodingKeys.age, \Person.age)
    static let height = Column(CodingKeys.height, \Person.height)
    static let kind = Column(CodingKeys.kind, \Person.kind)
  }

  static let people = [
    Person(name: "Ada", age: 36, height: 1.6, kind: .host),
    Person(name: "Bob", age: nil, height: 1.8, kind: .guest),
    Person(name: "Cy", age: 7, height: nil, kind: .guest),
    Person(name: "ada", age: 7, height: 1.2, kind: .guest),
  ]

  typealias Row = (condition: Condition<Person>, matches: @Sendable (Person) -> Bool)

  static let table: [Row] = [
    (.all, { _ in true }),
    (Person.name == "Ada", { $0.name == "Ada" }),
    (Person.name != "Ada", { $0.name != "Ada" }),
    (Person.name == "' OR 1=1 --", { _ in false }),
    (Person.age == 7, { $0.age == 7 }),
    (Person.age == nil, { $0.age == nil }),
    (Person.age != nil, { $0.age != nil }),
    (Person.age != 7, { $0.age != 7 }),
    (Person.age < 36, { ($0.age ?? .max) < 36 }),
    (Person.age <= 36, { ($0.age ?? .max) <= 36 }),
    (Person.age > 7, { ($0.age ?? .min) > 7 }),
    (Person.age >= 7, { ($0.age ?? .min) >= 7 }),
    (Person.age < nil, { _ in false }),
    (!(Person.age < 36), { !(($0.age ?? .max) < 36) }),
    (!(Person.age < 36 && Person.height > 1), { !(($0.age ?? .max) < 36 && ($0.height ?? 0) > 1) }),
    (Person.age == 7 && Person.height == nil, { $0.age == 7 && $0.height == nil }),
    (Person.age == 36 || Person.height > 1.7, { $0.age == 36 || ($0.height ?? 0) > 1.7 }),
    (Person.kind == .guest, { $0.kind == .guest }),
    (Person.kind.isIn([.host]), { $0.kind == .host }),
    (Person.age.isIn([7, nil]), { [7, nil].contains($0.age) }),
    (Person.age.isIn([]), { _ in false }),
    (Person.name.isIn(["Cy", "ada", "Cy"]), { ["Cy", "ada"].contains($0.name) }),
    (Person.name.contains("d"), { $0.name.contains("d") }),
    (Person.name.contains("%"), { $0.name.contains("%") }),
    (Person.name.contains(""), { _ in true }),
    (Person.name.hasPrefix("A"), { $0.name.hasPrefix("A") }),
    (Person.name < "B", { $0.name < "B" }),
  ]

  @Test(arguments: table.indices)
  func `a condition means what it means in Swift`(index: Int) async throws {
    let (condition, matches) = Self.table[index]
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Self.people)

    let found = try await store.select(where: condition)

    #expect(Set(found.map(\.name)) == Set(Self.people.filter(matches).map(\.name)))
    #expect(try await store.count(Person.self, where: condition) == found.count)
    #expect(try await store.delete(Person.self, where: condition) == found.count)
  }

  @Test func `rows come in order, by one column and then by the next`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Self.people)

    let names = try await store.select(order: Person.age.descending, Person.name.ascending).map(
      \.name)

    #expect(names == ["Ada", "Cy", "ada", "Bob"])
  }

  @Test(arguments: [(nil, 0, 4), (2, 0, 2), (0, 0, 0), (2, 3, 1), (nil, 3, 1), (1, 9, 0)])
  func `limit and offset cut a page out`(limit: Int?, offset: Int, count: Int) async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Self.people)

    let page = try await store.select(order: Person.name.ascending, limit: limit, offset: offset)

    #expect(page == Array(Self.people.dropFirst(offset).prefix(limit ?? .max)))
    #expect(page.count == count)
  }

  @Test func `a column that the table doesn't have yet is nil in every row`() async throws {
    struct Later: Model, Equatable {
      var text: String
      var stars: Int?
      static let table = "Note"
      static let stars = Column(CodingKeys.stars, \Later.stars)
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Note(text: "a"))

    #expect(try await store.select(where: Later.stars == nil).map(\.text) == ["a"])
    #expect(try await store.select(where: Later.stars > 1, order: Later.stars.ascending) == [])
    #expect(try await store.update(Later.self, set: [Later.stars.set(to: 3)], where: .all) == 1)
    #expect(try await store.select(where: Later.stars == 3) == [Later(text: "a", stars: 3)])
  }

  @Test func `a value that can't be encoded fails when the condition is used`() async throws {
    struct Bad: Codable, Sendable, Equatable {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "not today"))
      }
    }
    struct Holder: Model {
      var bad: Bad
      static let bad = Column(CodingKeys.bad, \Holder.bad)
    }
    let store = try await SQLiteStore.inMemory()

    let error = await #expect(throws: LoadError.self) {
      try await store.select(where: Holder.bad == Bad())
    }

    #expect(error?.reason.contains("not today") == true)
  }

  @Test func `a condition of too many values is an error, not a crash`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Self.people)

    let error = await #expect(throws: LoadError.self) {
      try await store.select(where: Person.age.isIn((0..<300_000).map { $0 }))
    }

    #expect(error?.kind == .store)
  }

  @Test func `limits below zero are a mistake of the program`() async {
    await #expect(processExitsWith: .failure) { _ = Selection<Person>(limit: -1) }
  }
}
