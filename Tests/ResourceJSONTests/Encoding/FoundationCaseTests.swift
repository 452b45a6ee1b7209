import Foundation
import ResourceJSON
import Testing

/// What Foundation's own tests of `JSONEncoder` encode, beside what they expect.
struct FoundationCaseTests {
  private typealias Settings = (JSONEncoder) -> Void

  /// Expects the text of both, and returns it.
  private func expect(
    _ value: some Encodable, as text: String? = nil, _ settings: Settings = { _ in },
    at location: SourceLocation = #_sourceLocation
  ) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    settings(encoder)
    let ours = EncodingOutcome { try JSONWriter(encoder).encode(value) }
    let foundation = EncodingOutcome { try encoder.encode(value) }
    #expect(ours == foundation, sourceLocation: location)
    if let text { #expect(ours == .text(Data(text.utf8)), sourceLocation: location) }
  }

  // MARK: - Values at the top

  private struct EmptyStruct: Codable {}
  private final class EmptyClass: Codable {}
  private enum Switch: Codable {
    case off, on

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self == .on)
    }
  }
  private struct Timestamp: Encodable {
    let value: Double

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
  private struct Address: Codable {
    var street = "1 Infinite Loop"
    var city = "Cupertino"
    var state = "CA"
    var zipCode = 95014
    var country = "United States"
  }
  private class Person: Encodable {
    var name: String
    var email: String
    var website: URL?

    enum CodingKeys: CodingKey { case name, email, website }

    init(_ name: String, _ email: String, _ website: URL?) {
      (self.name, self.email, self.website) = (name, email, website)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(email, forKey: .email)
      try container.encodeIfPresent(website, forKey: .website)
    }
  }
  private final class Employee: Person {
    var id = 42

    enum CodingKeys: CodingKey { case id }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try super.encode(to: container.superEncoder())
      try container.encode(id, forKey: .id)
    }
  }

  @Test func `empty, single and structured values at the top`() {
    expect(EmptyStruct(), as: "{}")
    expect(EmptyClass(), as: "{}")
    expect(Switch.on, as: "true")
    expect(Switch.off, as: "false")
    expect(Timestamp(value: 3_141_592_653), as: "3141592653")
    expect([1, 2], as: "[1,2]")
    expect([Int?.none, 1], as: "[null,1]")
    expect(Int?.none, as: "null")
    expect(["a": Int?.none], as: #"{"a":null}"#)
    expect(
      Address(),
      as: #"{"city":"Cupertino","country":"United States","state":"CA","#
        + #""street":"1 Infinite Loop","zipCode":95014}"#)
    expect(
      Person("Johnny", "appleseed@apple.com", URL(string: "http://apple.com")),
      as: #"{"email":"appleseed@apple.com","name":"Johnny","website":"http:\/\/apple.com"}"#)
    expect(
      Employee("Johnny", "a@b.c", nil),
      as: #"{"id":42,"super":{"email":"a@b.c","name":"Johnny"}}"#)
  }

  // MARK: - Formatting

  @Test func `formatting of nested and empty values`() {
    let value: [String: [String: [Int]]] = ["a": ["x": [1, 2], "y": []], "b": [:]]
    expect(
      value,
      as: """
        {
          "a" : {
            "x" : [
              1,
              2
            ],
            "y" : [

            ]
          },
          "b" : {

          }
        }
        """
    ) { $0.outputFormatting = [.prettyPrinted, .sortedKeys] }
    expect(["/": "</script>"], as: #"{"\/":"<\/script>"}"#)
    expect(["/": "</script>"], as: #"{"/":"</script>"}"#) {
      $0.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }
    expect([EmptyStruct()], as: "[\n  {\n\n  }\n]") { $0.outputFormatting = .prettyPrinted }
    expect(["B": 1, "a": 2, "C": 3, "_": 4, "FOO": 5, "foo": 6, "Foo": 7, "FOO1": 8, "10": 9])
  }

  // MARK: - Texts and numbers

  @Test func `texts with every kind of character`() {
    for code in UInt8.min..<0x80 { expect(String(UnicodeScalar(code))) }
    for text in [
      "\u{2028}\u{2029}", "\u{FEFF}", "\u{FFFD}\u{FFFF}", "𝄞👨‍👩‍👧‍👦", "e\u{301}é", "\r\n", "\"\\/",
    ] {
      expect(text)
      expect([text: text])
      expect(text + "0123456789abcdef" + text)
    }
    for length in 0..<40 {
      let text = String(repeating: "x", count: length)
      expect(text, as: "\"\(text)\"")
      expect(text + "\"", as: "\"\(text)\\\"\"")
      expect("\n" + text, as: "\"\\n\(text)\"")
    }
  }

  @Test func `integers of every width and length`() {
    expect([Int8.min, .max])
    expect([Int16.min, .max])
    expect([Int32.min, .max, 0])
    expect([Int64.min, .max])
    expect([Int.min, .max])
    expect([UInt8.min, .max])
    expect([UInt16.min, .max])
    expect([UInt32.min, .max])
    expect([UInt64.min, .max])
    expect([UInt.min, .max])
    expect([Int128.min, .max])
    expect([UInt128.min, .max])
    var power: UInt64 = 1
    for _ in 0..<19 {
      expect([power - 1, power, power + 1])
      expect(-Int64(power))
      power *= 10
    }
    expect([power - 1, power, power + 1])
  }

  @Test func `floating-point numbers`() {
    let numbers: [Double] = [
      0, -0.0, 1, 0.1, 1.0 / 3, 1e15, 1e16, 1e17, 1e21, 1e22, 1e-4, 1e-5, .leastNonzeroMagnitude,
      .pi,
      .greatestFiniteMagnitude, .leastNormalMagnitude, .ulpOfOne, 123_456_789.123_456_78,
      9_007_199_254_740_992, -1.5e300,
    ]
    expect(numbers)
    expect(numbers.map(Float.init).filter(\.isFinite))
    for number in numbers { expect(number) }
    for number in [Double.infinity, -.infinity, .nan] {
      expect(number)
      expect(["a": [number]])
      expect(Float(number))
      expect(["a": number, "b": 1]) {
        $0.nonConformingFloatEncodingStrategy = .convertToString(
          positiveInfinity: "INF", negativeInfinity: "-INF", nan: "nan\"")
      }
    }
  }

  @Test func `decimals`() {
    for text in [
      "0", "1.5", "-0.0001", "12345678901234567890123456789012345678", "1e100", "1e-100",
      "0.1000", "100",
    ] {
      expect(Decimal(string: text))
      expect(["a": [Decimal(string: text)]])
    }
  }

  // MARK: - Dates, data, URLs

  private static let dateStrategies: [JSONEncoder.DateEncodingStrategy] = [
    .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601,
    .custom { date, encoder in
      var container = encoder.unkeyedContainer()
      try container.encode(date.timeIntervalSince1970)
    },
    .custom { _, _ in },
  ]

  @Test func `dates by every strategy`() {
    for strategy in Self.dateStrategies {
      for seconds in [0, 0.5, -1, 1_700_000_000.25, -62_135_596_800, 253_402_300_799, -1e11] {
        let date = Date(timeIntervalSince1970: seconds)
        expect(date) { $0.dateEncodingStrategy = strategy }
        expect(["a": [date, nil]]) { $0.dateEncodingStrategy = strategy }
      }
    }
  }

  @Test func `data by every strategy`() {
    let strategies: [JSONEncoder.DataEncodingStrategy] = [
      .base64, .deferredToData, .custom { _, _ in },
      .custom { data, encoder in
        var container = encoder.singleValueContainer()
        try container.encode(data.count)
      },
    ]
    for strategy in strategies {
      for data in [Data(), Data([0xDE, 0xAD]), Data(repeating: 0xFF, count: 200)] {
        expect(data) { $0.dataEncodingStrategy = strategy }
        expect(["a": data]) { $0.dataEncodingStrategy = strategy }
      }
    }
  }

  @Test func `URLs and identifiers`() {
    expect(URL(string: "http://swift.org/a b?c=ü"))
    expect(URL(string: "x", relativeTo: URL(string: "http://swift.org/y/")))
    expect(["a": URL(filePath: "/tmp/x")])
    expect(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    expect([UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"): 1])
    expect(IndexSet(1..<5))
    expect(DateInterval(start: Date(timeIntervalSince1970: 0), duration: 5))
    expect(DateComponents(year: 2026, month: 1))
    expect(Locale(identifier: "de_AT"))
    expect(CharacterSet(charactersIn: "a"))
  }
}

/// Foundation's cases of keys and containers.
struct FoundationKeyCaseTests {
  private struct Member: Encodable {
    let key: Name

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Name.self)
      try container.encode("test", forKey: key)
    }
  }

  private static let snakeCase = [
    "simpleOneTwo": "simple_one_two", "myURL": "my_url",
    "singleCharacterAtEndX": "single_character_at_end_x",
    "thisIsAnXMLProperty": "this_is_an_xml_property", "single": "single", "": "", "a": "a",
    "aA": "a_a", "version4Thing": "version4_thing", "partCAPS": "part_caps",
    "partCAPSLowerAGAIN": "part_caps_lower_again",
    "manyWordsInThisThing": "many_words_in_this_thing", "asdfĆqer": "asdf_ćqer",
    "already_snake_case": "already_snake_case", "dataPoint22": "data_point22",
    "dataPoint22Word": "data_point22_word", "_oneTwoThree": "_one_two_three",
    "oneTwoThree_": "one_two_three_", "__oneTwoThree": "__one_two_three",
    "oneTwoThree__": "one_two_three__", "_oneTwoThree_": "_one_two_three_",
    "__oneTwoThree__": "__one_two_three__", "_test": "_test", "_test_": "_test_",
    "__test": "__test", "test__": "test__",
    "m͉̟̹y̦̳G͍͚͎̳r̤͉̤͕ͅea̲͕t͇̥̼͖U̇͊ͤrͨL͔̭L": "m͉̟̹y̦̳_g͍͚͎̳r̤͉̤͕ͅea̲͕t͇̥̼͖_u̇͊ͤrͨ_l͔̭l", "🐧🐟": "🐧🐟",
  ]

  // The names of several objects are remembered.
  @Test(arguments: [1, 3])
  func `names in snake case`(count: Int) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    for (key, name) in Self.snakeCase {
      let value = Array(repeating: Member(key: Name(stringValue: key)), count: count)
      let text = try JSONWriter(encoder).encode(value)

      #expect(text == (try encoder.encode(value)))
      let expected = Array(repeating: "{\"\(name)\":\"test\"}", count: count)
      #expect(
        String(decoding: text, as: UTF8.self) == "[\(expected.joined(separator: ","))]", "\(key)")
    }
  }

  @Test func `names that only look alike, and several that become one`() throws {
    struct Pair: Encodable {
      let keys: [String]

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (number, key) in keys.enumerated() {
          try container.encode(number, forKey: Name(stringValue: key))
        }
      }
    }
    for strategy: JSONEncoder.KeyEncodingStrategy in [.useDefaultKeys, .convertToSnakeCase] {
      for keys in [
        ["K", "\u{212A}"], ["\u{212A}", "K"], ["userID", "user_id"], ["é", "e\u{301}"],
      ] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.keyEncodingStrategy = strategy
        let value = [
          Pair(keys: [keys[0]]), Pair(keys: [keys[0]]), Pair(keys: [keys[1]]), Pair(keys: keys),
          Pair(keys: keys.reversed()),
        ]

        #expect(
          EncodingOutcome { try JSONWriter(encoder).encode(value) }
            == EncodingOutcome { try encoder.encode(value) }, "\(keys)")
      }
    }
  }

  /// Objects of one type whose members differ in number and order.
  private struct Varied: Encodable {
    let names: [Int]

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Name.self)
      for name in names {
        let key = Name(stringValue: "member\(name)")
        if name % 5 == 0 {
          try container.encode([Varied(names: [name + 1])], forKey: key)
        } else {
          try container.encode(name, forKey: key)
        }
      }
    }
  }

  @Test func `objects of one type may differ in their members and in the order of them`() throws {
    var random = Seeded(39)
    let values = (0..<300).map { _ in
      let count = Int.random(in: 0..<100, using: &random)
      let names = (0..<count).map { _ in Int.random(in: 0..<(count + 1), using: &random) }
      return Varied(names: Bool.random(using: &random) ? names.sorted() : names)
    }
    for format: JSONEncoder.OutputFormatting in [.sortedKeys, [.sortedKeys, .prettyPrinted]] {
      let encoder = JSONEncoder()
      encoder.outputFormatting = format
      #expect(try JSONWriter(encoder).encode(values) == encoder.encode(values))
    }
  }

  @Test func `the names of dictionaries aren't converted`() throws {
    struct Value: Encodable {
      var someNames = ["oneTwo": ["threeFour": 5]]
      var otherNames = [7: "sevenEight"]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.keyEncodingStrategy = .convertToSnakeCase

    let text = try JSONWriter(encoder).encode(Value())

    #expect(text == (try encoder.encode(Value())))
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"other_names":{"7":"sevenEight"},"some_names":{"oneTwo":{"threeFour":5}}}"#)
  }

  @Test func `a closure gets the path of each key`() throws {
    struct Outer: Encodable {
      struct Middle: Encodable { var inner = ["x": Inner()] }
      struct Inner: Encodable { var value = 1 }
      var outer = [Middle()]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.keyEncodingStrategy = .custom { path in
      Name(stringValue: path.map(\.stringValue).joined(separator: "."))
    }
    #expect(try JSONWriter(encoder).encode(Outer()) == encoder.encode(Outer()))
  }

  @Test func `an error in a dictionary of any kind has the path to it`() {
    for encoder in [JSONEncoder(), JSONEncoder()] {
      encoder.outputFormatting = .sortedKeys
      let values: [any Encodable] = [
        ["7": Double.nan], ["a": ["8": [Double.nan]]], [7: Double.nan], ["a": Date.distantFuture],
        [["b": Float.infinity]], ["9": [Decimal: Double]()],
      ]
      for value in values {
        #expect(
          EncodingOutcome { try JSONWriter(encoder).encode(value) }
            == EncodingOutcome { try encoder.encode(value) })
      }
    }
  }

  private struct Configured: EncodableWithConfiguration {
    func encode(to encoder: any Encoder, configuration: Int) throws {
      var container = encoder.unkeyedContainer()
      for number in 0..<configuration { try container.encode(number) }
    }
  }

  @Test func `a value gets its configuration`() throws {
    let text = try JSONWriter().encode(Configured(), configuration: 3)

    #expect(text == Data("[0,1,2]".utf8))
    #expect(try text == JSONEncoder().encode(Configured(), configuration: 3))
  }
}
