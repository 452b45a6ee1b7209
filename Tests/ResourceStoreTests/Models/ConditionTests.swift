import Foundation
import ResourceLoading
import ResourceStore
import TestSupport
import Testing

/// Conditions, order, limit and offset.
@Suite(.inTurn)
struct ConditionTests {
  struct Person: StoredModel, Equatable {
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

  @Test func `rows are sorted by one column and then by the next`() async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Self.people)

    let names = try await store.select(order: Person.age.descending, Person.name.ascending).map(
      \.name)

    #expect(names == ["Ada", "Cy", "ada", "Bob"])
  }

  @Test(arguments: [(nil, 0, 4), (2, 0, 2), (0, 0, 0), (2, 3, 1), (nil, 3, 1), (1, 9, 0)])
  func `limit and offset select a page`(limit: Int?, offset: Int, count: Int) async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Self.people)

    let page = try await store.select(order: Person.name.ascending, limit: limit, offset: offset)

    #expect(page == Array(Self.people.dropFirst(offset).prefix(limit ?? .max)))
    #expect(page.count == count)
  }

  @Test func `a column that the table doesn't have yet is nil in every row`() async throws {
    struct Later: StoredModel, Equatable {
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
    struct Holder: StoredModel {
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

  @Test(arguments: [1, 95, 1000, 20_000])
  func `a condition can have many alternatives`(count: Int) async throws {
    let store = try await SQLiteStore.inMemory()
    try await store.insert([Entry(id: 0, text: ""), Entry(id: count, text: "")])
    let conditions = (1...count).map { Entry.id == $0 }

    let left = conditions.dropFirst().reduce(conditions[0]) { $0 || $1 }
    let right = conditions.dropLast().reversed().reduce(conditions[count - 1]) { $1 || $0 }

    #expect(try await store.select(where: left).map(\.id) == [count])
    #expect(try await store.select(where: right).map(\.id) == [count])
    // SQLite takes disproportionately long for more.
    let none = conditions.prefix(1000).reduce(Entry.id != count) { $0 && !$1 }
    #expect(try await store.select(where: none).map(\.id) == [0])
  }

  @Test func `a condition that is nested too deep for SQLite is an error`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Self.people)
    func nested(_ depth: Int) -> Condition<Person> {
      (0..<depth).reduce(Person.age == 7) { condition, step in
        step % 2 == 0 ? Person.name != "x" && condition : Person.name == "x" || condition
      }
    }

    #expect(try await store.select(where: nested(20)).count == 2)
    #expect(
      try await store.select(where: (0..<21).reduce(Person.age == 7) { c, _ in !c }).count == 2)
    for depth in [100, 100_000] {
      let error = await #expect(throws: LoadError.self) {
        try await store.select(where: nested(depth))
      }
      #expect(error?.reason.contains("nested") == true, "\(error as Any)")
    }
  }

  struct Sample: StoredModel {
    var name: String
    var size: Double?
    var day: Date?
    static let size = Column(CodingKeys.size, \Sample.size)
    static let day = Column(CodingKeys.day, \Sample.day)
  }

  @Test func `NaN equals nothing and has no order, as in Swift`() async throws {
    let numbers: [Double?] = [.nan, .infinity, -.infinity, 0, -0.0, 1, nil]
    let samples = numbers.enumerated().map { index, size in
      Sample(
        name: "\(index)", size: size, day: size.map { Date(timeIntervalSinceReferenceDate: $0) })
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(samples)
    typealias Row = (Condition<Sample>, (Double?) -> Bool)
    func ordered(_ a: Double?, _ b: Double?, _ test: (Double, Double) -> Bool) -> Bool {
      if let a, let b { test(a, b) } else { false }
    }

    for number in numbers {
      let date = number.map { Date(timeIntervalSinceReferenceDate: $0) }
      let rows: [Row] = [
        (Sample.size == number, { $0 == number }), (Sample.size != number, { $0 != number }),
        (Sample.size < number, { ordered($0, number, <) }),
        (Sample.size <= number, { ordered($0, number, <=) }),
        (Sample.size > number, { ordered($0, number, >) }),
        (Sample.size >= number, { ordered($0, number, >=) }),
        (!(Sample.size > number), { !ordered($0, number, >) }),
        (Sample.size.isIn([number, 1]), { [number, 1].contains($0) }),
        (Sample.day == date, { $0 == number }), (Sample.day > date, { ordered($0, number, >) }),
        (!(Sample.day == date), { $0 != number }),
      ]
      for (index, (condition, matches)) in rows.enumerated() {
        let found = try await store.select(where: condition).map(\.name)
        #expect(
          Set(found) == Set(samples.filter { matches($0.size) }.map(\.name)),
          "\(number as Any), \(index)")
      }
    }
  }

  @Test func `negative limits are a programming error`() async {
    await #expect(processExitsWith: .failure) { _ = Selection<Person>(limit: -1) }
  }
}
