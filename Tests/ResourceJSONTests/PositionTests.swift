import Foundation
import ResourceJSON
import Testing

struct PositionTests {
  private struct Item: Decodable {
    var id: Int
    var made: Date?
    var tags: [String]?
  }

  private func position<Value: Decodable>(
    _ type: Value.Type, _ text: String, _ decoder: JSONDecoder = JSONDecoder()
  ) throws -> JSONPosition {
    let error = try #require(throws: (any Error).self) {
      try JSONReader(decoder).decode(type, from: Data(text.utf8))
    }
    return try #require(JSONPosition(of: error))
  }

  @Test(arguments: [
    ("[{\"id\":1},\n {\"id\":\"x\"}]", 2, 8, 18), ("[{\"id\":1},\n\n {\"made\":1}]", 3, 2, 13),
    ("[{\"id\":1},\n {\"id\":null}]", 2, 8, 18), ("[{\"id\":1e400}]", 1, 8, 7),
    ("[{\"id\":1,\"tags\":[\"é\",\"東\", 3]}]", 1, 27, 29), ("{}", 1, 1, 0), ("[3]", 1, 2, 1),
    ("[{\"id\":1,\"made\":\"x\"}]", 1, 17, 16),
  ])
  func `an error about a value has its position`(text: String, line: Int, column: Int, offset: Int)
    throws
  {
    let position = try position([Item].self, text)

    #expect((position.line, position.column, position.offset) == (line, column, offset))
  }

  @Test(arguments: [
    ("[1,\n2,,3]", "a value is expected", 2, 3),
    ("{\"a\":01}", "a number has a leading zero", 1, 6),
    ("[1,]", "a comma has no value behind it", 1, 4),
    ("{\"a\":1,}", "a comma has no member behind it", 1, 8),
    ("[\"é\\x\"]", "a string has an unknown escape", 1, 4), ("[1", "the text ends too early", 1, 3),
    ("[\"ab", "a string doesn't end", 1, 2), ("[1] 2", "there is more behind the value", 1, 5),
    ("{\"a\" 1}", "“:” is expected behind a name", 1, 6), ("[1 2]", "“,” or “]” is expected", 1, 4),
    ("[\"\\ud800\"]", "an escape has half of a surrogate pair", 1, 3),
    ("{a:1}", "a name in quotes is expected", 1, 2),
    ("[-]", "a number lacks a digit", 1, 3), ("", "the text is empty", 1, 1),
    ("\u{FEFF}[x]", "a value is expected", 1, 2),
    ("[\"a\u{1}\"]", "a string has a control character that isn't escaped", 1, 4),
  ])
  func `a mistake in the text has its reason and its position`(
    text: String, reason: String, line: Int, column: Int
  ) throws {
    let error = try #require(throws: DecodingError.self) {
      try JSONReader().decode(Tree.self, from: Data(text.utf8))
    }

    guard case .dataCorrupted(let context) = error else { throw error }
    let syntax = try #require(context.underlyingError as? JSONSyntaxError)
    #expect(syntax.reason == reason)
    #expect((syntax.position.line, syntax.position.column) == (line, column))
  }

  @Test func `an error that a type makes itself gets the position of its path`() throws {
    struct Even: Decodable {
      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard try value.decode(Int.self) % 2 == 0 else {
          throw DecodingError.dataCorruptedError(in: value, debugDescription: "odd")
        }
      }
    }
    let position = try position([String: [Even]].self, "{\"a_b\":[2],\n\"c_d\":[4,\n6, 7]}")

    #expect((position.line, position.column) == (3, 4))
  }

  @Test func `places behind a key strategy are found, too`() throws {
    struct Outer: Decodable { var innerItem: Item }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase

    let position = try position(Outer.self, "{\"x\":1,\n\"inner_item\":{\"id\":true}}", decoder)

    #expect((position.line, position.column) == (2, 20))
  }

  @Test(arguments: [
    String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
  ])
  func `a document in UTF-16 or UTF-32 has its places in its own bytes`(encoding: String.Encoding)
    throws
  {
    let text = "[\"é😀\",\n true]"
    let data = try #require(text.data(using: encoding))
    let before = try #require("[\"é😀\",\n ".data(using: encoding))

    let error = try #require(throws: DecodingError.self) {
      try JSONReader().decode([String].self, from: data)
    }

    let position = try #require(JSONPosition(of: error))
    #expect((position.line, position.column, position.offset) == (2, 2, before.count))
    #expect(
      try JSONReader().decode([String].self, from: try #require("[\"é😀\"]".data(using: encoding)))
        == ["é😀"])
  }

  @Test(arguments: [
    ("{\"a_b\":{\"id\":\n\"x\"}}", 2, 1), ("{\"a_b\":{}}", 1, 8), ("{\"a_b\":{\"id\":1},}", 1, 17),
  ])
  func `the position of an error that JSONDecoder has thrown is found`(
    text: String, line: Int, column: Int
  ) throws {
    let data = Data(text.utf8)
    let error = DecodingError.typeMismatch(
      Int.self,
      DecodingError.Context(
        codingPath: ["aB", "id"].map(Name.init(stringValue:)), debugDescription: ""))

    let position = try #require(JSONPosition(of: error, in: data))

    #expect((position.line, position.column) == (line, column))
  }
}
