import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

/// Places in JSON documents.
@Suite(.inTurn)
struct JSONLocatorTests {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int?
    init(_ text: String) { (stringValue, intValue) = (text, Int(text)) }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init("\(intValue)") }
  }

  @Test(arguments: [
    ("{\"a\": [1, {\"b\": true}]}", "a.1.b", 16), ("{\"a\": 1, \"b\": 2}", "b", 14),
    ("[[], [1,2]]", "1.1", 8), ("{\"a_b\": 1}", "aB", 8), ("{\"x\": {\"y\": 1}}", "x.z", 6),
    ("{\"q\\\"\": 0, \"r\": 1}", "r", 16), ("5", "", 0), ("{\"a\":\n [\n1]}", "a.0", 9),
  ])
  func `a path leads to its value or the last container before it`(
    _ json: String, _ path: String, _ offset: Int
  ) throws {
    let locator = try #require(JSONLocator(Data(json.utf8)))

    #expect(locator.offset(of: path.split(separator: ".").map { Key(String($0)) }) == offset)
  }

  @Test(arguments: [
    ("{\"a\": 1,}", 8), ("[1 2]", 3), ("{\"a\" 1}", 5), ("nul", 0), ("[1,", 3), ("\"a\u{1}\"", 2),
    ("{} x", 3), ("[01x]", 1), ("{\"a\": \"\\q\"}", 8), ("", 0), ("[-]", 1), ("[-01]", 1),
    ("[1,.5]", 3), ("[1.]", 1), ("[1e]", 1), ("[1e400]", 1), ("[+1]", 1), ("[nulls]", 1),
    ("[\"\\ud800\"]", 3), ("[\"\\u00g0\"]", 3), ("\u{FEFF}[x]", 4), ("[1,]", 3),
  ])
  func `the first mistake is found`(_ json: String, _ offset: Int) throws {
    #expect(try #require(JSONLocator(Data(json.utf8))).mistake?.offset == offset)
  }

  @Test(arguments: [
    "{}", "[]", "[[[]]]", "{\"a\": {\"b\": [1, -2.5e10, \"x\\n\\u00e4\", null, true, false]}}",
    " 1 ",
  ])
  func `a correct document has no mistake`(_ json: String) throws {
    #expect(try #require(JSONLocator(Data(json.utf8))).mistake == nil)
  }

  @Test func `a hundred thousand levels are no problem`() throws {
    let deep = String(repeating: "[", count: 100_000)

    #expect(try #require(JSONLocator(Data(deep.utf8))).mistake?.offset == 100_000)
  }

  @Test func `lines and columns count from one, columns in characters`() throws {
    let locator = try #require(JSONLocator(Data("{\n \"ä\": x}".utf8)))

    let place = locator.place(8)

    #expect(place.line == 2)
    #expect(place.column == 6)
    #expect(place.snippet == "{ \"ä\": x}")
  }
}
