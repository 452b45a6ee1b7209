import Foundation

/// Makes scripts and encoders at random.
struct ScriptGenerator {
  private var random: Seeded

  init(_ seed: UInt64) { random = Seeded(seed) }

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private mutating func chance(_ one: Int) -> Bool { below(one) == 0 }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}

extension ScriptGenerator {
  mutating func script(_ depth: Int = 0) -> Script {
    switch below(depth > 4 ? 5 : 16) {
    case 0: return chance(4) ? .nothing : .single(item(depth))
    case 1..<5: return .single(item(depth))
    case 5..<12: return .keyed(steps(depth))
    case 12..<15: return .unkeyed(steps(depth))
    default: return .singleThenKeyed(steps(depth), steps(depth))
    }
  }

  private mutating func steps(_ depth: Int) -> [Script.Step] {
    let count = chance(30) ? 40 : below(6)
    return (0..<count).map { number in
      Script.Step(
        container: chance(2) ? 0 : below(6), name: count == 40 ? "m\(number % 36)" : name(),
        action: action(depth))
    }
  }

  private mutating func action(_ depth: Int) -> Script.Action {
    switch below(24) {
    case 0: .nestedKeyed
    case 1: .nestedUnkeyed
    case 2: .superEncoder(script(depth + 1), isKept: chance(2))
    case 3: .lastSuperEncoderEnds
    case 4: .again
    case 5: depth > 4 ? .again : .share(steps(depth + 1))
    case 6: .ifPresent(chance(2) ? nil : below(10))
    case 7: .conditional
    default: .encode(item(depth))
    }
  }

  mutating func name() -> String {
    pick([
      "", "a", "b", "id", "itemCount", "item_count", "userID", "URLForUser", "HTTPStatus2XX",
      "aB1Cd", "_privateName", "trailing_", "ABC", "é", "e\u{301}", "ǅab", "naïveÉtat", "日本語",
      "a/b", "quote\"", "back\\", "tab\t", "\u{1}\u{1F}\u{7F}", "😀key", "K", "\u{212A}",
      "aLongNameThatDoesNotFitFifteenBytes", "1", "10", "2",
    ])
  }
}

extension ScriptGenerator {
  private mutating func item(_ depth: Int) -> Script.Item {
    switch below(20) {
    case 0: .null
    case 1: .bool(chance(2))
    case 2: .int(Int(truncatingIfNeeded: integer()))
    case 3: .uint8(UInt8(truncatingIfNeeded: integer()))
    case 4: .int64(integer())
    case 5: .uint64(UInt64(bitPattern: integer()))
    case 6: .int128(Int128(integer()) * Int128(integer()))
    case 7, 8: .double(double())
    case 9: .float(Float(double()))
    case 10, 11: .string(text())
    case 12: .path
    case 13..<17: .any(value())
    default: depth > 4 ? .path : .script(script(depth + 1))
    }
  }

  private mutating func integer() -> Int64 {
    let bits = Int64(bitPattern: random.next())
    return chance(4) ? pick([0, -1, 9, 10, 99, 100, .max, .min]) : bits >> Int64(below(64))
  }

  mutating func double() -> Double {
    switch below(12) {
    case 0: return Double(bitPattern: random.next())
    case 1: return chance(6) ? pick([.nan, .infinity, -.infinity]) : -0.0
    case 2: return Double(integer())
    case 3: return Double.random(in: -1...1, using: &random)
    case 4:
      return pick([
        1e15, 1e16, 9_007_199_254_740_992, 1e-4, 1e-5, .leastNonzeroMagnitude, 1e21, 0.1, 1e100,
      ])
    case 5: return Double(Float.random(in: -1e6...1e6, using: &random))
    default: return Double(below(100_000)) / 100
    }
  }

  mutating func text() -> String {
    let parts = [
      "", "a", "plain", "/", "\"", "\\", "\n", "\r\n", "\t", "\u{8}\u{C}", "\u{0}", "\u{1F}",
      "\u{7F}", "é", "日本", "😀", "e\u{301}", "\u{2028}", "a text that is longer than fifteen bytes",
      "https://example.com/a/b?c=d",
    ]
    return (0..<below(5)).map { _ in pick(parts) }.joined()
  }

  private mutating func date() -> Date {
    switch below(5) {
    case 0: Date(timeIntervalSince1970: Double(below(4_000_000_000)) - 1_000_000_000)
    case 1: Date(timeIntervalSince1970: Double.random(in: -3e10...3e11, using: &random))
    case 2: Date(timeIntervalSinceReferenceDate: Double(below(1_000_000_000)) + 0.5)
    default: Date(timeIntervalSince1970: Double.random(in: 0...2e9, using: &random))
    }
  }

  private mutating func data() -> Data {
    Data((0..<below(8)).map { _ in UInt8(truncatingIfNeeded: below(256)) })
  }

  private mutating func decimal() -> Decimal {
    Decimal(integer()) / pick([1, 10, 1000, 1_000_000, 3])
  }

  private mutating func url() -> URL {
    URL(string: pick(["https://example.com/a?b=c", "a/b", "file:///tmp/%20x"]))
      ?? URL(filePath: "/")
  }

  private mutating func list<Value>(_ make: (inout Self) -> Value) -> [Value] {
    (0..<below(5)).map { _ in make(&self) }
  }

  private mutating func dictionary<Key: Hashable, Value>(
    _ key: (inout Self) -> Key, _ make: (inout Self) -> Value
  ) -> [Key: Value] {
    Dictionary(list { (key(&$0), make(&$0)) }) { first, _ in first }
  }

  /// A value of a type that exists.
  private mutating func value() -> any Encodable {
    switch below(44) {
    case 0: date()
    case 1: data()
    case 2: decimal()
    case 3: url()
    case 4: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    case 5: list { Int(truncatingIfNeeded: $0.integer()) }
    case 6: list { $0.double() }
    case 7: list { Float($0.double()) }
    case 8: list { $0.text() }
    case 9: list { UInt8(truncatingIfNeeded: $0.integer()) }
    case 10: list { Int128($0.integer()) }
    case 11: list { $0.date() }
    case 12: list { $0.list { $0.double() } }
    case 13: list { $0.chance(3) ? nil : $0.date() }
    case 14: dictionary({ $0.name() }, { $0.integer() })
    case 15: dictionary({ $0.name() }, { $0.double() })
    case 16: dictionary({ $0.name() }, { $0.date() })
    case 17: dictionary({ $0.name() }, { $0.dictionary({ $0.name() }, { $0.text() }) })
    case 18: dictionary({ $0.below(100) }, { $0.name() })
    case 19: dictionary({ $0.url() }, { $0.integer() })
    case 20: dictionary({ _ in Place.homeTown }, { $0.double() })
    case 21: dictionary({ $0.below(3) == 0 ? nil : $0.below(5) }, { $0.text() })
    case 22: Optional(dictionary({ $0.name() }, { $0.double() }))
    case 23: Optional(Optional(date()))
    case 24: chance(2) ? Int?.none : 5
    case 25: Set([below(100)])
    case 26: 1..<below(9) + 2
    case 27: Event.moved(to: double(), nil)
    case 28: Event.renamed(name: text(), at: date())
    case 29: Event.ended
    case 30: list { _ in Event.ended }
    case 31: model()
    case 32: list { $0.model() }
    case 33: dictionary({ $0.name() }, { $0.model() })
    case 34: Child(number: below(9), text: text())
    case 35: list { $0.data() }
    case 36: list { $0.url() }
    case 37: list { $0.decimal() }
    case 38: list { $0.chance(2) }
    case 39: Place.homeTown
    case 40: dictionary({ $0.name() }, { Scripted(script: $0.script(4)) })
    case 41: list { Scripted(script: $0.script(4)) }
    case 42: Optional(Scripted(script: script(4)))
    default: list { $0.dictionary({ $0.name() }, { $0.list { $0.text() } }) }
    }
  }

  private mutating func model() -> Model {
    Model(
      itemCount: below(100), createdAt: date(), homePage: chance(2) ? nil : url(),
      nestedItem: chance(3) ? nil : Model.Inner(userID: below(9), tags: list { $0.text() }),
      events: list { $0.chance(2) ? Event.ended : .moved(to: 1, 2) },
      byName: dictionary({ $0.name() }, { Model.Inner(userID: $0.below(9), tags: []) }))
  }
}

enum Place: String, Encodable, CodingKeyRepresentable { case homeTown, away }

enum Event: Encodable {
  case moved(to: Double, Int?)
  case renamed(name: String, at: Date)
  case ended
}

struct Model: Encodable {
  var itemCount: Int
  var createdAt: Date
  var homePage: URL?
  var nestedItem: Inner?
  var events: [Event]
  var byName: [String: Inner]

  struct Inner: Encodable {
    var userID: Int
    var tags: [String]
  }
}

class Parent: Encodable {
  let number: Int

  init(number: Int) { self.number = number }
}

final class Child: Parent {
  let text: String

  enum CodingKeys: CodingKey { case text }

  init(number: Int, text: String) {
    self.text = text
    super.init(number: number)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try super.encode(to: container.superEncoder())
    try container.encode(text, forKey: .text)
  }
}

extension ScriptGenerator {
  /// An encoder with settings of its own.
  mutating func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    if !chance(8) { encoder.outputFormatting.insert(.sortedKeys) }
    if chance(3) { encoder.outputFormatting.insert(.prettyPrinted) }
    if chance(3) { encoder.outputFormatting.insert(.withoutEscapingSlashes) }
    encoder.keyEncodingStrategy =
      switch below(5) {
      case 0, 1: .useDefaultKeys
      case 2, 3: .convertToSnakeCase
      default: .custom { Name(stringValue: $0.map(\.stringValue).joined(separator: ".")) }
      }
    encoder.dateEncodingStrategy = dates()
    encoder.dataEncodingStrategy =
      switch below(4) {
      case 0: .deferredToData
      case 1:
        .custom { data, encoder in
          var array = encoder.unkeyedContainer()
          if !data.isEmpty { try array.encode(encoder.codingPath.count) }
        }
      default: .base64
      }
    if !chance(3) {
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "+\"/", negativeInfinity: "", nan: "NaN")
    }
    return encoder
  }

  private mutating func dates() -> JSONEncoder.DateEncodingStrategy {
    switch below(9) {
    case 0: return .secondsSince1970
    case 1: return .millisecondsSince1970
    case 2...4: return .iso8601
    case 5:
      return .custom { date, encoder in
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(date.timeIntervalSince1970 * 2, forKey: Name(stringValue: "halfSeconds"))
      }
    case 6: return .custom { _, _ in }
    case 7:
      return .custom { date, encoder in
        var value = encoder.singleValueContainer()
        try value.encode(encoder.codingPath.map(\.stringValue) + ["\(date.hashValue & 1)"])
      }
    default: return .deferredToDate
    }
  }
}
