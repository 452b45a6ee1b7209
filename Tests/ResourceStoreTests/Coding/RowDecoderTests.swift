import Foundation
import ResourceLoading
import ResourceStore
import TestSupport
import Testing

/// Decoding rows into models.
@Suite(.inTurn)
struct RowDecoderTests {
  /// Decodes its keys backwards, twice, some that don't exist, and in two containers.
  struct Wayward: StoredModel, Equatable {
    var first: Int
    var second: String?
    var third: Date

    enum CodingKeys: CodingKey { case first, second, third }
    private enum Others: String, CodingKey { case first, fourth }

    init(_ first: Int, _ second: String?) {
      (self.first, self.second) = (first, second)
      third = Date(timeIntervalSinceReferenceDate: Double(first) / 3)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      third = try container.decode(Date.self, forKey: .third)
      second = try container.decodeIfPresent(String.self, forKey: .second)
      first = try container.decode(Int.self, forKey: .first)
      let others = try decoder.container(keyedBy: Others.self)
      let again = try container.decode(Int.self, forKey: .first)
      guard try others.decode(Int.self, forKey: .first) == first, again == first,
        !others.contains(.fourth), try others.decodeIfPresent(Int.self, forKey: .fourth) == nil,
        try container.decodeNil(forKey: .second) == (second == nil),
        container.allKeys.count == (second == nil ? 2 : 3)
      else { throw CocoaError(.coderInvalidValue) }
    }
  }

  @Test(arguments: [0, 1, 15, 16, 17, 33, 1000])
  func `keys are found in any order`(count: Int) async throws {
    let text = "long enough to be no small text"
    let rows = (0..<count).map { Wayward($0, $0 % 3 == 0 ? nil : text) }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(rows)

    #expect(try await store.select() == rows)
  }

  @Test func `a selection has all its rows after one with any number of rows`() async throws {
    let entries = (1...1000).map { Entry(id: $0, text: "the text of entry number \($0)") }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(entries)

    for count in [1000, 3, 0, 40, 41, 1000, 600, 400] {
      let selected = try await store.select(where: Entry.id <= count)

      #expect(selected == Array(entries.prefix(count)))
    }
  }

  /// Rows are read ahead, some at once, until they are many or large.
  @Test(arguments: [0, 1, 100, 1000, 8191, 8192, 8193, 16_385, 100_000])
  func `texts and bytes are complete beside rows of any size`(size: Int) async throws {
    struct Parcel: StoredModel, Equatable {
      var id: Int
      var label: String?
      var content: Data
    }
    let rows = (0..<70).map { id in
      let label = String(repeating: "é\(id)", count: id % 3 == 0 ? size / 4 : 1)
      let content = Data(repeating: UInt8(id), count: id % 3 == 0 ? size : id % 2)
      return Parcel(id: id, label: id % 5 == 0 ? nil : label, content: content)
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(rows)

    #expect(try await store.select() == rows)
    #expect(try await store.select(limit: 40) == Array(rows.prefix(40)))
  }

  @Test func `keys that aren't an enumeration are found by their names`() async throws {
    let items = (1...20).map { Item(id: "\($0)", title: "title \($0)", isRead: $0 % 2 == 0) }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(items)

    let read = try await store.select(NamedItem.self)

    #expect(read.map(\.id) == items.map(\.id))
    #expect(read.map(\.title) == items.map(\.title))
    #expect(read.map(\.isRead) == items.map(\.isRead))
  }

  /// Reads an item by keys of one byte that are numbers of columns, and by others that are names.
  struct NamedItem: StoredModel {
    static let table = "Item"
    var id: String
    var title: String
    var isRead: Bool

    private struct Name: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    private struct Place: CodingKey {
      var place: UInt8
      var stringValue: String { place == 0 ? "id" : "title" }
      var intValue: Int? { nil }

      init(place: UInt8) { self.place = place }
      init?(stringValue: String) { nil }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let names = try decoder.container(keyedBy: Name.self)
      let places = try decoder.container(keyedBy: Place.self)
      id = try places.decode(String.self, forKey: Place(place: 0))
      isRead = try names.decode(Bool.self, forKey: Name(stringValue: "isRead"))
      title = try places.decode(String.self, forKey: Place(place: 1))
    }
  }

  @Test(arguments: [0, 15, 16, 40], [0, 100])
  func `a row that can't be decoded is an error at any position`(
    place: Int, before: Int
  ) async throws {
    struct Number: StoredModel {
      static let table = "Note"
      var text: Int
      var more: String?
    }
    struct Anything: StoredModel {
      static let table = "Note"
      var text: AnyValue
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert((0..<before).map { Number(text: $0) })
    #expect(try await store.select(Number.self).count == before)
    try await store.delete(Number.self, where: .all)
    try await store.insert((0..<place).map { Number(text: $0, more: "text number \($0) of many") })
    try await store.insert(Anything(text: .string("none")))

    let error = await #expect(throws: LoadError.self) { try await store.select(Number.self) }

    #expect(
      error?.reason == "a row of table Note isn't a Number, column text: the column holds a text")
  }

  @Test(arguments: [("2024-01-05", false), ("12 of 20", false), ("", false), ("-1.5e3", true)])
  func `a text is a decimal number only as a whole`(text: String, isNumber: Bool) async throws {
    struct Written: StoredModel {
      static let table = "Price"
      var amount: String
    }
    struct Price: StoredModel, Equatable { var amount: Decimal }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Written(amount: text))

    let prices = try? await store.select(Price.self)

    #expect(prices == (isNumber ? [Price(amount: -1500)] : nil))
  }

  @Test func `the error of a row doesn't quote a secret`() async throws {
    enum Level: String, Codable { case low, high }
    struct Plain: StoredModel {
      static let table = "Account"
      var password: String
      var more: [String: String]
    }
    struct Account: StoredModel {
      var password: Level
      var more: [String: String]
    }
    struct Nested: StoredModel {
      static let table = "Account"
      var more: [String: Level]
    }
    let store = try await SQLiteStore.inMemory()
    try await store.insert(Plain(password: "swordfish", more: ["token": "swordfish"]))

    let plain = await #expect(throws: LoadError.self) { try await store.select(Account.self) }
    let nested = await #expect(throws: LoadError.self) { try await store.select(Nested.self) }

    for error in [plain, nested] {
      var text = "\(String(describing: error))"
      dump(error, to: &text)
      #expect(!text.contains("swordfish") && text.contains("<redacted>"), "\(text)")
    }
  }
}
