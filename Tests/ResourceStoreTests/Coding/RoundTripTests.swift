import Foundation
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// Values are read back identical.
@Suite(.inTurn)
struct RoundTripTests {
  struct Row<Value: Codable & Sendable>: StoredModel {
    static var table: String { "Row" }
    var value: Value
  }

  private func roundTrip<Value: Codable & Sendable>(_ value: Value) async throws -> Value? {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Row(value: value))
    await store.close()
    let reopened = try await database.open()
    let row: Row<Value>? = try await reopened.first()
    return row?.value
  }

  @Test(arguments: [
    "", "'", "\"", "';DROP TABLE Row;--", "\0", "a\0b", "\u{FEFF}x", "👩‍👩‍👧‍👦🇫🇷", "e\u{301}", "é", "nan",
    "true", "{}",
    "[1]", "\"quoted\"", "12", "0012", "1e5", "NULL", "\n\r\t\\", "?1", ":name", "%_*",
    String(repeating: "long ", count: 2_000_000),
  ])
  func `a text keeps its Unicode scalars`(text: String) async throws {
    let plain = try await roundTrip(text)
    let optional = try await roundTrip(Optional(text))
    let wrapped = try await roundTrip(Tag(rawValue: text))

    #expect(plain.map { Array($0.utf8) } == Array(text.utf8))
    #expect(optional??.utf8.elementsEqual(text.utf8) == true)
    #expect(wrapped?.rawValue.utf8.elementsEqual(text.utf8) == true)
  }

  struct Tag: RawRepresentable, Codable, Sendable { var rawValue: String }

  @Test func `integers of every width keep their limits`() async throws {
    #expect(try await roundTrip([Int8.min, .max].map { $0 }) == [.min, .max])
    #expect(try await roundTrip(Int8.min) == .min)
    #expect(try await roundTrip(Int16.max) == .max)
    #expect(try await roundTrip(Int32.min) == .min)
    #expect(try await roundTrip(Int64.min) == .min)
    #expect(try await roundTrip(Int.max) == .max)
    #expect(try await roundTrip(UInt8.max) == .max)
    #expect(try await roundTrip(UInt16.max) == .max)
    #expect(try await roundTrip(UInt32.max) == .max)
    #expect(try await roundTrip(UInt64.max) == .max)
    #expect(try await roundTrip(UInt.max) == .max)
    #expect(try await roundTrip(Optional(UInt64.max)) == .some(.some(.max)))
  }

  @Test(arguments: [
    0.0, 0.1, -1.5, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity,
    .greatestFiniteMagnitude,
  ])
  func `a floating-point number is exact`(number: Double) async throws {
    #expect(try await roundTrip(number)?.bitPattern == number.bitPattern)
    #expect(try await roundTrip(Float(number))?.bitPattern == Float(number).bitPattern)
    #expect(try await roundTrip([number]) == [number])
    let date = Date(timeIntervalSinceReferenceDate: number)
    #expect(try await roundTrip(date) == date)
  }

  @Test func `zero has no sign in a column`() async throws {
    #expect(try await roundTrip(-0.0)?.sign == .plus)
    #expect(try await roundTrip(Float(-0.0))?.sign == .plus)
    #expect(try await roundTrip([-0.0])?.first?.sign == .minus)
  }

  @Test func `NaN is not nil`() async throws {
    #expect(try await roundTrip(Double.nan)?.isNaN == true)
    #expect(try await roundTrip(Optional(Float.nan))??.isNaN == true)
    #expect(try await roundTrip([Double.nan])?.first?.isNaN == true)
  }

  @Test func `Foundation's values are read unchanged`() async throws {
    let uuid = UUID()
    let base = try #require(URL(string: "https://example.org/a/"))
    let relative = try #require(URL(string: "b?c=%20#d", relativeTo: base))
    let decimal = try #require(Decimal(string: "-12345678901234567890.123456789"))

    #expect(try await roundTrip(uuid) == uuid)
    #expect(try await roundTrip(base) == base)
    #expect(try await roundTrip(relative) == relative.absoluteURL)
    #expect(try await roundTrip(decimal) == decimal)
    #expect(try await roundTrip(Decimal.nan)?.isNaN == true)
    #expect(try await roundTrip(Data()) == Data())
    #expect(try await roundTrip(Data([0, 255, 0])) == Data([0, 255, 0]))
    #expect(try await roundTrip(true) == true)
    #expect(try await roundTrip(Date.distantFuture) == .distantFuture)
  }

  struct Author: Codable, Sendable, Equatable {
    var name: String
    var born: Date
    var tags: [String: [Int]]
  }

  enum Shape: Codable, Sendable, Equatable {
    case point
    case circle(radius: Double)
  }

  enum Level: Int, Codable, Sendable {
    case low = -1
    case high = 1
  }

  @Test func `structures, arrays and enums are read unchanged`() async throws {
    let author = Author(
      name: "A\0\"{", born: Date(timeIntervalSinceReferenceDate: 0.1), tags: ["": [1]])

    #expect(try await roundTrip(author) == author)
    #expect(try await roundTrip([author, author]) == [author, author])
    #expect(try await roundTrip([String]()) == [])
    #expect(try await roundTrip(Shape.circle(radius: 0.1)) == .circle(radius: 0.1))
    #expect(try await roundTrip(Shape.point) == .point)
    #expect(try await roundTrip(Level.low) == .low)
    #expect(try await roundTrip(Author?.none) == .some(.none))
  }

  @Test(arguments: [
    AnyValue.null, .bool(true), .bool(false), .int(1), .int(0), .double(0.5), .string("true"),
    .string("1"),
    .string("{\"a\":1}"), .string("[]"), .string("\"\""), .list([.int(1), .null]),
    .object(["a": .bool(true)]),
    .string(""),
  ])
  func `a value of any type is read unchanged`(value: AnyValue) async throws {
    #expect(try await roundTrip(value) == value)
  }
}

/// Tries one type after another, as the models of loose JSON do.
enum AnyValue: Codable, Sendable, Equatable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case list([AnyValue])
  case object([String: AnyValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let int = try? container.decode(Int.self) {
      self = .int(int)
    } else if let double = try? container.decode(Double.self) {
      self = .double(double)
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if let list = try? container.decode([AnyValue].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: AnyValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .int(let int): try container.encode(int)
    case .double(let double): try container.encode(double)
    case .string(let string): try container.encode(string)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }
}
