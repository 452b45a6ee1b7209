import Foundation
import ResourceLoading
import TestSupport
import Testing

/// The WHATWG's urlencoded serializer (URL standard, section 5.2), with cases like those of its web
/// platform tests.
@Suite(.inTurn)
struct FormTests {
  @Test(arguments: [
    ("a", "b c", "a=b+c"), ("a", "", "a="), ("", "b", "=b"), ("", "", "="), ("a", "b+c", "a=b%2Bc"),
    ("a b", "c", "a+b=c"), ("a", "b%*c", "a=b%25*c"), ("i", "*-._", "i=*-._"), ("t", "~", "t=%7E"),
    ("a", "&=;", "a=%26%3D%3B"), ("n", "1\r\n2", "n=1%0D%0A2"), ("a", "\0", "a=%00"),
    ("a", "💩", "a=%F0%9F%92%A9"), ("é", "ß", "%C3%A9=%C3%9F"), ("a", "!'()", "a=%21%27%28%29"),
    ("/?:@,$", "[]", "%2F%3F%3A%40%2C%24=%5B%5D"), ("a", "%20", "a=%2520"),
    ("Az09", "zA90", "Az09=zA90"), ("a", "\u{FEFF}", "a=%EF%BB%BF"), ("a", "\t", "a=%09"),
  ])
  func `a pair is serialized as the standard says`(
    _ name: String, _ value: String, _ expected: String
  ) throws {
    let body = Request.Body.form([name: value])

    #expect(String(decoding: try body.data(), as: UTF8.self) == expected)
    #expect(body.mediaType?.rawValue == "application/x-www-form-urlencoded")
  }

  @Test func `pairs keep their order, lists and nested values are written out`() throws {
    let body = Request.Body.form([
      "b": ["x", "y z"], "a": ["k": true], "b": nil, "c": ["1,5", "2"],
    ])

    #expect(
      String(decoding: try body.data(), as: UTF8.self) == "b=x&b=y+z&a%5Bk%5D=true&c=1%2C5&c=2")
  }

  @Test func `a form without values is an empty body`() throws {
    #expect(try Request.Body.form([:]).data().isEmpty)
  }

  @Test func `a type becomes a form`() throws {
    struct Login: Encodable {
      var user = "a b"
      var tags = ["x", "y"]
    }
    var style = Parameters.Style()
    style.arrays = .commas

    let request = Request.post("login").form(encoding: Login(), style: style)

    #expect(try request.body?.data() == Data("user=a+b&tags=x%2Cy".utf8))
  }
}
