import Foundation
import ResourceJSON
import Testing

/// The vectors of RFC 8785.
struct CanonicalJSONTests {
  private func canonical(_ value: some Encodable) throws -> String {
    String(decoding: try JSONWriter(isCanonical: true).encode(value), as: UTF8.self)
  }

  /// Any JSON, whose objects keep the order of their members.
  private enum Value: Encodable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([Value])
    case object([(String, Value)])

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .object(let members):
        var object = encoder.container(keyedBy: Name.self)
        for (name, value) in members {
          try object.encode(value, forKey: Name(stringValue: name))
        }
      case .list(let elements):
        var array = encoder.unkeyedContainer()
        for element in elements { try array.encode(element) }
      default: try encodeScalar(to: encoder)
      }
    }

    private func encodeScalar(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try single.encode(value)
      case .number(let value): try single.encode(value)
      case .text(let value): try single.encode(value)
      default: try single.encodeNil()
      }
    }
  }

  @Test func `the sample of section 3.2 is written as there`() throws {
    let value = Value.object([
      ("numbers", .list([333_333_333.33333329, 1E30, 4.50, 2e-3, 1e-27].map { .number($0) })),
      ("string", .text("\u{20AC}$\u{F}\nA'\u{42}\u{22}\u{5C}\\\"/")),
      ("literals", .list([.null, .bool(true), .bool(false)])),
    ])

    #expect(
      try canonical(value)
        == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
        + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#)
  }

  @Test func `names are sorted by their UTF-16 units`() throws {
    let names = ["\u{20AC}", "\r", "\u{FB33}", "1", "\u{1F600}", "\u{80}", "\u{F6}"]
    let value = Value.object(names.map { ($0, .null) })

    #expect(
      try canonical(value)
        == "{\"\\r\":null,\"1\":null,\"\u{80}\":null,\"\u{F6}\":null,\"\u{20AC}\":null,"
        + "\"\u{1F600}\":null,\"\u{FB33}\":null}")
  }

  /// The further samples of the RFC's authors, each beside its canonical form.
  private static let samples: [(Value, String)] = [
    (
      .list([
        .number(56), .object([("d", .bool(true)), ("10", .null), ("1", .list([]))]),
      ]), #"[56,{"1":[],"10":null,"d":true}]"#
    ),
    (
      .object([
        ("peach", .text("This sorting order")), ("péché", .text("is wrong according to French")),
        ("pêche", .text("but canonicalization MUST")), ("sin", .text("ignore locale")),
      ]),
      #"{"peach":"This sorting order","péché":"is wrong according to French","#
        + #""pêche":"but canonicalization MUST","sin":"ignore locale"}"#
    ),
    (
      .object([
        (
          "1",
          .object([
            ("f", .object([("f", .text("hi")), ("F", .number(5))])), ("\n", .number(56)),
          ])
        ), ("10", .object([])), ("", .text("empty")), ("a", .object([])),
        ("111", .list([.object([("e", .text("yes")), ("E", .text("no"))])])), ("A", .object([])),
      ]),
      #"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"#
        + #""A":{},"a":{}}"#
    ),
    (
      .object([("Unnormalized Unicode", .text("A\u{30A}"))]),
      "{\"Unnormalized Unicode\":\"A\u{30A}\"}"
    ),
    (
      .object([
        ("\u{20AC}", .text("Euro Sign")), ("\r", .text("Carriage Return")),
        ("\u{A}", .text("Newline")), ("1", .text("One")), ("\u{80}", .text("Control\u{7F}")),
        ("\u{1F602}", .text("Smiley")), ("\u{F6}", .text("Latin Small Letter O With Diaeresis")),
        ("\u{FB33}", .text("Hebrew Letter Dalet With Dagesh")),
        ("</script>", .text("Browser Challenge")),
      ]),
      "{\"\\n\":\"Newline\",\"\\r\":\"Carriage Return\",\"1\":\"One\","
        + "\"</script>\":\"Browser Challenge\",\"\u{80}\":\"Control\u{7F}\","
        + "\"\u{F6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20AC}\":\"Euro Sign\","
        + "\"\u{1F602}\":\"Smiley\",\"\u{FB33}\":\"Hebrew Letter Dalet With Dagesh\"}"
    ),
  ]

  @Test func `the samples of the authors are written as theirs`() throws {
    for (value, text) in Self.samples { #expect(try canonical(value) == text) }
    // Objects of one type, whose names are remembered.
    let twice = Self.samples.map { Value.list([$0.0, $0.0, $0.0]) }
    for (value, sample) in zip(twice, Self.samples) {
      #expect(try canonical(value) == "[\(sample.1),\(sample.1),\(sample.1)]")
    }
  }

  @Test(
    arguments: [
      0x7FFF_FFFF_FFFF_FFFF, 0x7FF0_0000_0000_0000, 0xFFF0_0000_0000_0000,
    ] as [UInt64])
  func `what appendix B calls an error is one`(_ bits: UInt64) {
    #expect(throws: EncodingError.self) { try canonical(Double(bitPattern: bits)) }
    #expect(throws: EncodingError.self) { try canonical(["a": [Double(bitPattern: bits)]]) }
  }

  @Test(
    arguments: [
      (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"),
      (0x0000_0000_0000_0001, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
      (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
      (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
      (0x4340_0000_0000_0000, "9007199254740992"), (0xC340_0000_0000_0000, "-9007199254740992"),
      (0x4430_0000_0000_0000, "295147905179352830000"),
      (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
      (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
      (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
      (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
      (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
      (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
      (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
      (0x41B3_DE43_5555_5557, "333333333.33333343"),
      (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
      (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
    ] as [(UInt64, String)])
  func `numbers are written as appendix B has them`(_ bits: UInt64, _ text: String) throws {
    let number = Double(bitPattern: bits)

    #expect(try canonical(number) == text)
    #expect(try canonical([number]) == "[\(text)]")
    #expect(try canonical(["a": number]) == "{\"a\":\(text)}")
  }

  @Test func `a number that isn't a double is an error`() throws {
    #expect(try canonical([1 << 53, -(1 << 53)]) == "[9007199254740992,-9007199254740992]")
    #expect(throws: EncodingError.self) { try canonical(1 << 53 + 1) }
    #expect(throws: EncodingError.self) { try canonical(["a": UInt64.max]) }
    #expect(throws: EncodingError.self) { try canonical([Double.infinity]) }
    #expect(throws: EncodingError.self) { try canonical(Decimal(string: "0.12345678901234567890")) }
    #expect(try canonical(Decimal(string: "1234.50")) == "1234.5")
  }

  @Test func `the output formatting of the encoder doesn't count, and its strategies do`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .prettyPrinted
    encoder.dateEncodingStrategy = .secondsSince1970
    let value = ["b/": Date(timeIntervalSince1970: 2), "a": Date(timeIntervalSince1970: 1e21)]

    let text = try JSONWriter(encoder, isCanonical: true).encode(value)

    #expect(String(decoding: text, as: UTF8.self) == #"{"a":1e+21,"b/":2}"#)
  }
}
