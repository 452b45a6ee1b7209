import Foundation
import ResourceXML
import TestSupport
import Testing

@Suite(.inTurn)
struct DecodingStrategyTests {
  private func decode<T: Decodable>(
    _ type: T.Type, _ document: String, _ change: (inout XMLDecoder) -> Void = { _ in }
  ) throws -> T {
    var decoder = XMLDecoder()
    change(&decoder)
    return try decoder.decode(type, from: Data(document.utf8))
  }

  @Test(arguments: [
    ("2024-02-29T12:30:15Z", 1_709_209_815.0), ("2024-02-29T12:30:15.25+01:30", 1_709_204_415.25),
    ("2024-02-29T12:30Z", 1_709_209_800),
    ("2024-02-29", 1_709_164_800), ("2024-02", 1_706_745_600), ("2024", 1_704_067_200),
    ("2024-02-29-05:00", 1_709_182_800),
    ("1969-12-31T24:00:00Z", 0), ("1970-01-01T00:00:00", 0), (" 1970-01-01T00:00:01Z\n", 1),
    ("0001-01-01T00:00:00Z", -62_135_596_800),
    ("2016-12-31T23:59:60Z", 1_483_228_800),
  ])
  func `XML Schema's dates are read`(_ text: String, _ seconds: Double) throws {
    let date = try decode(Date.self, "<d>\(text)</d>")

    #expect(date == Date(timeIntervalSince1970: seconds))
  }

  @Test(arguments: [
    "", "x", "2023-02-29", "2024-13-01", "2024-00-01", "2024-01-32", "24-01-01", "2024-01-01T",
    "2024-01-01T25:00:00", "2024-01-01T12:60:00Z", "2024-01-01T12:00:00.Z", "2024-01-01T24:00:01Z",
    "2024-01-01T12:00:00Zx", "2024-01-01T12:00:00+15:00",
  ])
  func `a text that isn't a date is refused`(_ text: String) {
    #expect(throws: DecodingError.self) { try decode(Date.self, "<d>\(text)</d>") }
  }

  @Test func `other dates are read as the strategy says`() throws {
    #expect(
      try decode(Date.self, "<d> 1.5 </d>") { $0.dateDecodingStrategy = .secondsSince1970 }
        == Date(timeIntervalSince1970: 1.5))
    #expect(
      try decode(Date.self, "<d>1500</d>") { $0.dateDecodingStrategy = .millisecondsSince1970 }
        == Date(timeIntervalSince1970: 1.5))
    #expect(
      try decode(Date.self, "<d>1.5</d>") { $0.dateDecodingStrategy = .deferredToDate }
        == Date(timeIntervalSinceReferenceDate: 1.5))
    #expect(
      try decode(Date.self, "<d>x</d>") {
        $0.dateDecodingStrategy = .custom { $0 == "x" ? .distantPast : nil }
      } == .distantPast)
    #expect(throws: DecodingError.self) {
      try decode(Date.self, "<d>x</d>") { $0.dateDecodingStrategy = .custom { _ in nil } }
    }
  }

  @Test func `bytes are read as the strategy says`() throws {
    #expect(try decode(Data.self, "<d> aGVs\n bG8= </d>") == Data("hello".utf8))
    #expect(
      try decode(Data.self, "<d>68656C6c6f</d>") { $0.dataDecodingStrategy = .hexadecimal }
        == Data("hello".utf8))
    #expect(
      try decode(Data.self, "<d>x</d>") { $0.dataDecodingStrategy = .custom { Data($0.utf8) } }
        == Data("x".utf8))
    #expect(throws: DecodingError.self) { try decode(Data.self, "<d>%%%</d>") }
    #expect(throws: DecodingError.self) {
      try decode(Data.self, "<d>123</d>") { $0.dataDecodingStrategy = .hexadecimal }
    }
  }

  @Test func `numbers are read in XML Schema's forms`() throws {
    #expect(
      try decode(
        [Int].self,
        "<n><i>+007</i><i> -12\n</i><i>9223372036854775807</i><i>-9223372036854775808</i></n>") == [
          7, -12, .max, .min,
        ])
    #expect(try decode([UInt8].self, "<n><i>255</i><i>0</i></n>") == [255, 0])
    #expect(try decode([Int8].self, "<n><i>-128</i><i>127</i></n>") == [-128, 127])
    #expect(
      try decode([Double].self, "<n><d>1.5e3</d><d>-.5</d><d>INF</d><d>-INF</d><d>12</d></n>") == [
        1500, -0.5, .infinity, -.infinity, 12,
      ])
    #expect(try decode(Float.self, "<f>NaN</f>").isNaN)
    #expect(
      try decode([Bool].self, "<n><b>true</b><b>0</b><b> 1 </b><b>FALSE</b></n>") == [
        true, false, true, false,
      ])
    #expect(
      try decode(Decimal.self, "<d>12345678901234567890.123</d>")
        == Decimal(string: "12345678901234567890.123"))
    #expect(
      try decode(UUID.self, "<u>E621E1F8-C36C-495A-93FC-0C247A3E6E5F</u>").uuidString.hasPrefix(
        "E621"))
  }

  @Test(arguments: [
    "", "x", "1x", "1 2", "--1", "+", "-", "1.5", "9223372036854775808", "0x10", "1e3",
  ])
  func `a text that isn't an integer is refused`(_ text: String) {
    #expect(throws: DecodingError.self) { try decode(Int.self, "<i>\(text)</i>") }
  }

  @Test(arguments: ["", "x", "0x1p3", "inf", "nan", "infinity", "1,5", "1e"])
  func `a text that isn't a double is refused`(_ text: String) {
    #expect(throws: DecodingError.self) { try decode(Double.self, "<i>\(text)</i>") }
  }

  @Test(arguments: ["", "x", ".", "+", "+-1", "--1", "1-2", "1.2.3", "2024-01-05", "1 2", "1e3"])
  func `a text that is only partly a decimal number is refused`(_ text: String) {
    #expect(throws: DecodingError.self) { try decode(Decimal.self, "<d>\(text)</d>") }
  }

  @Test func `decimal numbers are read in XML Schema's forms`() throws {
    #expect(
      try decode([Decimal].self, "<n><d>+1</d><d> -.5 </d><d>7.</d><d>007</d></n>") == [
        1, Decimal(string: "-0.5"), 7, 7,
      ])
  }

  @Test(arguments: ["nan", "NaN", "INF", "-INF", "inf", "0x10", "1x", "1 2", "", "1e999"])
  func `a number that isn't finite is refused as a date`(_ text: String) {
    for strategy in [
      .secondsSince1970, .millisecondsSince1970, .deferredToDate,
    ] as [XMLDecoder.DateDecodingStrategy] {
      #expect(throws: DecodingError.self) {
        try decode(Date.self, "<d>\(text)</d>") { $0.dateDecodingStrategy = strategy }
      }
    }
  }

  @Test func `numbers out of range are refused`() {
    #expect(throws: DecodingError.self) { try decode(UInt8.self, "<i>256</i>") }
    #expect(throws: DecodingError.self) { try decode(UInt.self, "<i>-1</i>") }
    #expect(throws: DecodingError.self) { try decode(Int8.self, "<i>-129</i>") }
    #expect(throws: DecodingError.self) { try decode(Decimal.self, "<i>1,5</i>") }
    #expect(throws: DecodingError.self) { try decode(Bool.self, "<i>yes</i>") }
  }

  @Test(arguments: [
    ("pub_date", XMLDecoder.KeyDecodingStrategy.convertFromSnakeCase),
    ("pub-date", .convertFromKebabCase), ("PubDate", .convertFromCapitalized),
    ("x:pub_date", .convertFromSnakeCase),
    ("rebuplaced", .custom { $0 == "rebuplaced" ? "pubDate" : $0 }), ("pubDate", .useDefaultKeys),
  ])
  func `names are converted to keys as the strategy says`(
    _ name: String, _ strategy: XMLDecoder.KeyDecodingStrategy
  ) throws {
    struct Value: Decodable { var pubDate: [Int] }

    let value = try decode(
      Value.self, "<v xmlns:x='u'><\(name)>1</\(name)><\(name)>2</\(name)></v>"
    ) { $0.keyDecodingStrategy = strategy }

    #expect(value.pubDate == [1, 2])
  }

  @Test(arguments: [
    ("_a_b_", "_aB_"), ("a", "a"), ("___", "___"), ("a__b", "aB"), ("aB_cD", "aBCD"),
  ])
  func `snake case is converted as by JSONDecoder`(_ name: String, _ key: String) throws {
    let value = try decode([String: Int].self, "<v><\(name)>1</\(name)></v>") {
      $0.keyDecodingStrategy = .convertFromSnakeCase
    }

    #expect(value == [key: 1])
    let upper = try decode([String: Int].self, "<v><ABC>1</ABC></v>") {
      $0.keyDecodingStrategy = .convertFromUppercase
    }
    #expect(upper == ["abc": 1])
  }

  @Test(arguments: [
    (XMLDecoder.WhitespaceStrategy.trimmed, "a  b\n c"), (.preserved, "  a  b\n c "),
    (.collapsed, "a b c"),
  ])
  func `white space in strings is treated as the strategy says`(
    _ strategy: XMLDecoder.WhitespaceStrategy, _ expected: String
  ) throws {
    #expect(
      try decode(String.self, "<s>  a  b\n c </s>") { $0.whitespaceStrategy = strategy } == expected
    )
  }

  @Test func `namespaces are matched by local name, by prefix or by URI`() throws {
    struct Names: Decodable, Equatable {
      var plain: String
      var written: String?
      var mapped: String?
      var clark: String?
      enum CodingKeys: String, CodingKey {
        case plain = "title"
        case written = "media:title"
        case mapped = "m:title"
        case clark = "{urn:m}title"
      }
    }
    let document = "<v xmlns:media='urn:m'><media:title>2</media:title><title>1</title></v>"

    let names = try decode(Names.self, document) {
      $0.namespaces = ["m": "urn:m", "other": "urn:o"]
    }

    #expect(names == Names(plain: "1", written: "2", mapped: "2", clark: "2"))
    #expect(
      try decode(Names.self, "<v xmlns:x='urn:m'><x:title>3</x:title></v>") {
        $0.namespaces = ["m": "urn:m"]
      } == Names(plain: "3", written: nil, mapped: "3", clark: "3"))
  }

  @Test func `types get the user info`() throws {
    struct Value: Decodable {
      var info: String?
      init(from decoder: any Decoder) throws {
        info = CodingUserInfoKey(rawValue: "k").flatMap { decoder.userInfo[$0] as? String }
      }
    }

    #expect(
      try decode(Value.self, "<v/>") { decoder in
        CodingUserInfoKey(rawValue: "k").map { decoder.userInfo[$0] = "i" }
      }.info == "i")
  }
}
