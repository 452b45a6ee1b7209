import Foundation

/// Makes shapes of types, and documents that more or less fit them.
struct Generator {
  var random: Seeded

  init(_ seed: UInt64) { random = Seeded(seed) }

  static let names = [
    "a", "b", "id", "name", "super", "item_count", "itemCount", "created_at", "createdAt",
    "nested_item", "nestedItem", "list", "user_id", "userID", "userId", "x_2nd", "x2Nd", "_a", "a_",
    "é", "e\u{301}", "caseName", "a.b", "", "one", "two", "three", "_0", "count", "lower", "1", "7",
    "a_name_that_is_longer_than_eight_bytes", "a_name_that_is_longer_than_eight_bytez",
  ]

  mutating func name() -> String {
    Self.names[Int.random(in: 0..<Self.names.count, using: &random)]
  }

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
}

extension Generator {
  mutating func shape(_ depth: Int = 0) -> Shape {
    let number = Int.random(in: 0..<(depth > 3 ? 6 : 12), using: &random)
    switch number {
    case 0..<6: return .type(Int.random(in: 0..<Shape.types.count, using: &random))
    case 6..<9:
      let count = Int.random(in: 0..<6, using: &random)
      return .keyed((0..<count).map { _ in (name(), request(), shape(depth + 1)) })
    case 9..<11:
      let count = Int.random(in: 0..<5, using: &random)
      return .unkeyed((0..<count).map { _ in (request(), shape(depth + 1)) })
    default: return chance(2) ? .either(shape(depth + 1), shape(depth + 1)) : .allKeys
    }
  }

  private mutating func request() -> Shape.Request {
    chance(2) ? .decode : Shape.Request.allCases.randomElement(using: &random) ?? .decode
  }
}

extension Generator {
  /// A document that often fits a shape.
  mutating func document(for shape: Shape) -> String {
    if chance(40) { return value(depth: 0) }
    switch shape {
    case .type(let number): return value(of: Shape.types[number])
    case .allKeys: return object((0..<3).map { _ in (name(), scalar()) })
    case .either(let first, let second): return document(for: chance(2) ? first : second)
    case .unkeyed(let elements): return list(elements.map { document(for: $0.shape) })
    case .keyed(let members):
      var pairs = members.compactMap { chance(12) ? nil : ($0.name, document(for: $0.shape)) }
      if chance(3) { pairs.shuffle(using: &random) }
      if chance(3) { pairs.append((name(), value(depth: 2))) }
      // More members than are searched one by one.
      if chance(12) { pairs += (0..<80).map { ("m\($0)", "\($0)") } }
      return object(pairs)
    }
  }

  private mutating func value(of type: any Decodable.Type) -> String {
    switch type {
    case is Bool.Type: return chance(2) ? "true" : "false"
    case is String.Type, is URL.Type, is Data.Type, is Suit.Type: return string()
    case is UUID.Type: return #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#
    case is Date.Type: return date()
    case is [Date].Type: return list((0..<2).map { _ in date() })
    case is [Int].Type, is [Double].Type, is Set<Int>.Type, is [Int??].Type:
      return list((0..<Int.random(in: 0..<5, using: &random)).map { _ in number() })
    case is Range<Int>.Type: return "[1,5]"
    case is [String].Type, is [String?].Type: return list([string(), string()])
    case is [Bool].Type: return "[true, false]"
    case is [[Double]].Type: return list([list([number(), number()]), list([number()])])
    case is [String: Int].Type, is [URL: Int].Type:
      return object([(name(), number()), (name(), number())])
    case is [Int: String].Type: return object([("1", string()), ("12", string())])
    case is [String: [String: Double]].Type: return object([(name(), object([(name(), number())]))])
    case is Payload.Type: return payload()
    case is [Payload].Type: return list([payload(), payload()])
    case is Derived.Type:
      return object([("super", object([("id", number())])), ("name", string())])
    case is Wrapper.Type:
      let inner = object([("user_id", number()), ("x_2nd", string()), ("a", number())])
      return object([
        ("item_count", number()), ("createdAt", date()), ("nested_item", inner),
        ("list", list([inner, "{}"])),
      ])
    default: return number()
    }
  }

  private mutating func payload() -> String {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: object([("one", object([("count", number()), ("name", string())]))])
    case 1: object([("two", object([("_0", number())]))])
    default: object([("three", "{}")])
    }
  }

  mutating func value(depth: Int) -> String {
    guard depth < 4, chance(2) else { return scalar() }
    let count = Int.random(in: 0..<4, using: &random)
    return chance(2)
      ? list((0..<count).map { _ in value(depth: depth + 1) })
      : object((0..<count).map { _ in (name(), value(depth: depth + 1)) })
  }

  private mutating func scalar() -> String {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: "null"
    case 1: chance(2) ? "true" : "false"
    case 2, 3, 4: string()
    default: number()
    }
  }

  mutating func number() -> String {
    if chance(15) { return scalar() }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return "0"
    case 1: return "-\(Int.random(in: 0..<1000, using: &random))"
    case 2: return "\(UInt64.random(in: 0 ... .max, using: &random))"
    case 3: return "\(Int64.random(in: .min ... .max, using: &random))"
    case 4: return "\(Double.random(in: -1000...1000, using: &random))"
    case 5:
      return
        "\(Int.random(in: 0..<300, using: &random) + 1)e\(Int.random(in: -5...25, using: &random))"
    case 6: return "\(Int.random(in: 0..<300, using: &random)).0"
    case 7:
      return ["1e400", "-0", "-0.0", "1E+2", "1e-400", "9007199254740993.0"].randomElement(
        using: &random) ?? "0"
    case 8:
      return
        "\(Int.random(in: 0..<1000, using: &random)).\(UInt64.random(in: 0 ... .max, using: &random))"
    default: return "\(Int.random(in: 0..<128, using: &random))"
    }
  }

  private mutating func string() -> String {
    if chance(15) { return scalar() }
    let strings = [
      "", "a", "clubs", "hearts", "aGVsbG8=", "https://example.com/a?b=c",
      "a string longer than fifteen bytes",
      #"\u00e9\n\t\"\\\/"#, #"\ud83d\ude00 and \u0041"#, "東京 é 😀", "inf", "-inf", "nan", "12",
      "http://[",
      "2024-03-05T10:20:30Z", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "x\u{7F}y", "a\u{301}",
    ]
    return "\"\(strings.randomElement(using: &random) ?? "")\""
  }

  mutating func date() -> String {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return number()
    case 1: return string()
    default: return "\"\(isoDate())\""
    }
  }

  /// A date that is near one in ISO 8601.
  mutating func isoDate() -> String {
    func two(_ range: ClosedRange<Int>, _ random: inout Seeded) -> String {
      let number = Int.random(in: range, using: &random)
      return number < 10 ? "0\(number)" : "\(number)"
    }
    let year =
      chance(4)
      ? Int.random(in: 1583...2999, using: &random) : Int.random(in: 1970...2040, using: &random)
    let day =
      "\(year)-\(two(chance(30) ? 0...13 : 1...12, &random))-\(two(chance(30) ? 0...32 : 1...31, &random))"
    let time =
      "\(two(0...(chance(30) ? 25 : 23), &random)):\(two(0...(chance(30) ? 61 : 59), &random)):\(two(0...(chance(30) ? 61 : 59), &random))"
    let zones = [
      "Z", "Z", "+02:00", "-07:30", "+0200", ".123Z", "", "+14:00", "-00:00", "+15:00", "z",
      "+1:00", " Z", "Zx",
    ]
    return "\(day)\(chance(40) ? " " : "T")\(time)\(zones.randomElement(using: &random) ?? "Z")"
  }

  private mutating func list(_ elements: [String]) -> String {
    "[" + space() + elements.joined(separator: "," + space()) + space() + "]"
  }

  private mutating func object(_ members: [(String, String)]) -> String {
    let texts = members.map { name, value in
      let written = chance(20) ? name.unicodeScalars.map(Self.escaped).joined() : name
      return "\"\(written)\"" + space() + ":" + space() + value
    }
    return "{" + space() + texts.joined(separator: space() + ",") + "}"
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  private mutating func space() -> String {
    chance(6) ? [" ", "\n", "\t", "\r\n", "          "].randomElement(using: &random) ?? "" : ""
  }
}

extension Generator {
  /// A decoder with strategies of its own.
  mutating func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy =
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1: .useDefaultKeys
      case 2, 3: .convertFromSnakeCase
      default: .custom { Name(stringValue: ($0.last?.stringValue ?? "").replacing("_", with: "")) }
      }
    decoder.dateDecodingStrategy =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .deferredToDate
      case 1: .secondsSince1970
      case 2: .millisecondsSince1970
      case 3:
        .custom { decoder in
          Date(
            timeIntervalSince1970: Double(
              try decoder.singleValueContainer().decode(String.self).count
                + decoder.codingPath.count))
        }
      default: .iso8601
      }
    decoder.dataDecodingStrategy = chance(3) ? .deferredToData : .base64
    if chance(2) {
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    }
    return decoder
  }
}
