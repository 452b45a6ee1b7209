import Foundation
import Testing

@testable import ResourceLoading

/// Structured fields of RFC 9651, by its rules and examples.
@Suite struct StructuredFieldTests {
  private typealias Parser = StructuredFieldParser
  private typealias Field = StructuredField
  private typealias Value = StructuredField.BareItem

  @Test(
    arguments: [
      ("0", .integer(0), "0"), ("-0", .integer(0), "0"), ("  42  ", .integer(42), "42"),
      ("007", .integer(7), "7"), ("-999999999999999", .integer(-999_999_999_999_999), nil),
      ("1.5", .decimal(thousandths: 1500), nil), ("-0.250", .decimal(thousandths: -250), "-0.25"),
      ("999999999999.999", .decimal(thousandths: 999_999_999_999_999), nil),
      ("2.0", .decimal(thousandths: 2000), nil), ("\"\"", .string(""), nil),
      (#""a \"b\" \\""#, .string(#"a "b" \"#), nil), ("*a/b:c", .token("*a/b:c"), nil),
      ("text/html", .token("text/html"), nil), ("?1", .boolean(true), nil),
      ("?0", .boolean(false), nil), ("::", .bytes(Data()), nil),
      (":aGVsbG8=:", .bytes(Data("hello".utf8)), nil),
      (":aGVsbG8:", .bytes(Data("hello".utf8)), ":aGVsbG8=:"),
      ("@1659578233", .date(1_659_578_233), nil),
      ("@-0", .date(0), "@0"), (":iZ==:", .bytes(Data([0x89])), ":iQ==:"),
      (#"%"BOM: %ef%bb%bf""#, .displayString("BOM: \u{FEFF}"), nil),
      (#"%"%66%6f""#, .displayString("fo"), #"%"fo""#),
      ("@-1", .date(-1), nil), (#"%"f%c3%bc %22%25""#, .displayString("fü \"%"), nil),
    ] as [(String, StructuredField.BareItem, String?)])
  func `an item is read, and written in its only form`(
    _ text: String, _ value: StructuredField.BareItem, _ written: String?
  ) throws {
    let item = try Parser.item(text)

    #expect(item == Field.Item(value))
    #expect(Field.text(item) == written ?? text)
  }

  @Test(arguments: [
    "", "-", "--1", "1 2", "1.", "1.1234", ".5", "1000000000000000", "1000000000000.0", "\"", "\"a",
    "\"\\a\"", "\"\t\"", "\"é\"", "a\"", "?2", "?", "?10", ":a", ":a:", ":a===:", ":a-_=:",
    ":aGVsb G8=:",
    "@1.5", "@", "@a", "%\"%C3%BC\"", "%\"%c3\"", "%\"%g0\"", "%\"a", "\t1", "1\t", "a;", "a;A=1",
    "a; ;b",
    "a ;b", "a;b=", "a, b", "=", "é", "(a)", " \t 1", ":=aGVsbG8=:", ":a=GVsbG8=:", ":    :",
    "%'a'", "%a", "%\"\t\"", "%\"%a", "%\"%a0%a1\"", "%\"%e2%28%a1\"", "@-", "@ 1",
    "@1000000000000000", "a;b=1;", "a;b=1; ", "a;=1",
  ])
  func `what isn't an item is refused`(_ text: String) {
    #expect(throws: Parser.Malformed.self) { try Parser.item(text) }
  }

  @Test func `keys, tokens and strings have the characters that they may have`() {
    for byte in UInt8.min...127 {
      let character = String(UnicodeScalar(byte))
      let isLower = character.contains(/^[a-z]$/)
      let isAlphanumeric = character.contains(/^[a-zA-Z0-9]$/)
      // Whether it may begin, and whether it may follow, a key, a token and a string.
      let first = (try? Parser.dictionary("\(character)=1"))?[character] != nil
      let further = (try? Parser.dictionary("a\(character)=1"))?["a\(character)"] != nil
      let token = try? Parser.item("a\(character)").value
      let string = try? Parser.item("\"\(character)\"").value

      #expect(first == (isLower || character == "*"), "\(byte)")
      #expect(
        further == (isLower || character.contains(/^[0-9]$/) || "_-.*".contains(character)),
        "\(byte)")
      #expect(
        (token == .token("a\(character)"))
          == (isAlphanumeric || "!#$%&'*+-.^_`|~:/".contains(character)), "\(byte)")
      #expect(
        (string == .string(character))
          == (0x20...0x7E ~= byte && character != "\"" && character != "\\"), "\(byte)")
      #expect(
        (Field.text(Field.Item(.string(character))) != nil) == (0x20...0x7E ~= byte), "\(byte)")
    }
  }

  @Test(
    arguments: [
      ("", 0, ""), ("a", 1, "a"), ("a,b ,\tc", 3, "a, b, c"), ("()", 1, "()"),
      ("(a  \"b\" );q=1.0, (  );x", 2, "(a \"b\");q=1.0, ();x"),
      ("a;b=1;c;d=?0;b=2", 1, "a;b=2;c;d=?0"),
      ("a;m;z;t, b;b=1;c=2;b=3", 2, "a;m;z;t, b;b=3;c=2"), ("1, 1.0, ?1", 3, "1, 1.0, ?1"),
    ] as [(String, Int, String)])
  func `a list is read and written`(_ text: String, _ count: Int, _ written: String) throws {
    let members = try Parser.list(text)

    #expect(members.count == count)
    #expect(Field.text(members) == written)
  }

  @Test(arguments: [
    "a,", ",a", "a,,b", "a b", "(a", "(a,b)", "(\"a\"\"b\")", "(a))", "a, (b) c", "((a))",
  ])
  func `what isn't a list is refused`(_ text: String) {
    #expect(throws: Parser.Malformed.self) { try Parser.list(text) }
  }

  @Test(arguments: [
    ("", ""), ("a=1, b;x=1, c=(1 2);y", "a=1, b;x=1, c=(1 2);y"), ("a=?1, b=?0", "a, b=?0"),
    // The last value counts, at the place of the first.
    ("a=1,b=2,a=3", "a=3, b=2"), ("*=1", "*=1"),
  ])
  func `a dictionary is read and written`(_ text: String, _ written: String) throws {
    #expect(Field.text(try Parser.dictionary(text)) == written)
  }

  @Test(arguments: ["A=1", "a =1", "a= 1", "a=", "a=1 b=2", "a=1,", "1=a", "=1", "a=1;", "a=,b=1"])
  func `what isn't a dictionary is refused`(_ text: String) {
    #expect(throws: Parser.Malformed.self) { try Parser.dictionary(text) }
  }

  @Test func `what can't be written is nil`() {
    let values: [StructuredField.BareItem] = [
      .integer(1_000_000_000_000_000), .decimal(thousandths: 1_000_000_000_000_000), .string("é"),
      .string("\n"), .token("a b"), .token(""), .token("1"), .token("a;b"),
      .date(-1_000_000_000_000_000),
    ]
    var parameters = Field.Entries<Field.BareItem>()
    parameters["A"] = .boolean(true)

    for value in values { #expect(Field.text(Field.Item(value)) == nil, "\(value)") }
    #expect(Field.text(Field.Item(.integer(1), parameters)) == nil)
  }
}
