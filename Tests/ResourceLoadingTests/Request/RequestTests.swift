import Foundation
import ResourceLoading
import TestSupport
import Testing

@Suite(.inTurn)
struct RequestTests {
  @Test(arguments: [
    ("a/b", "/users/a%2Fb/repos"), ("..", "/users/%2E%2E/repos"), (".", "/users/%2E/repos"),
    ("a b?c#d%", "/users/a%20b%3Fc%23d%25/repos"), ("ü", "/users/%C3%BC/repos"),
    ("a;b=c", "/users/a%3Bb%3Dc/repos"), ("", "/users//repos"),
  ])
  func `an interpolated value is one path segment`(_ value: String, _ expected: String) {
    let path: RequestPath = "/users/\(value)/repos"

    #expect(path.encoded == expected)
  }

  @Test(arguments: [
    ("dict", "dict"), ("/a b", "/a%20b"), ("a:b", "a%3Ab"), ("50%", "50%25"), ("a?b", "a%3Fb"),
    ("", "."),
  ])
  func `a path is a relative URL`(_ text: String, _ expected: String) {
    #expect(Request.get(RequestPath(text)).url.relativeString == expected)
  }

  @Test(arguments: [
    ("http://h/p", "http://h/p?a=1%2B2%20%26&b"),
    ("http://h/p?x=%2f", "http://h/p?x=%2f&a=1%2B2%20%26&b"),
    ("http://h/p?", "http://h/p?a=1%2B2%20%26&b"), ("http://h?x#f", "http://h?x&a=1%2B2%20%26&b#f"),
  ])
  func `query items join the URL's own query, which is kept`(
    _ url: String, _ expected: String
  ) throws {
    let query = QueryItems([.init("a", "1+2 &"), .init("b", nil)])

    let request = Request(url: try #require(URL(string: url)), query: query)

    #expect(request.url.absoluteString == expected)
  }

  @Test func `header names are equal whatever their case, and keep their spelling`() {
    var headers: Headers = ["X-One": "1", "content-type": "a/b", "x-one": "2"]

    #expect(headers["X-ONE"] == "1, 2")
    #expect(headers[.contentType] == "a/b")
    headers["x-ONE"] = "3"
    #expect(headers.map(\.value) == ["3", "a/b"])
    #expect(headers.first?.name.rawValue == "X-One")
    headers["X-One"] = nil
    #expect(headers.count == 1)
  }

  @Test func `requests are hashable values`() throws {
    let url = try #require(URL(string: "http://h/"))
    var one = Request(url: url)
    let other = one
    one.headers[.accept] = "a/b"

    #expect(one != other)
    #expect(Set([other, Request(url: url)]).count == 1)
  }

  @Test(arguments: [
    ("text/html; charset=\"UTF-8\"", "text/html", "UTF-8"),
    ("Application/JSON", "application/json", nil), ("a/b;x=1; charset=k", "a/b", "k"),
    ("a/b; x=\"1; charset=z, c/d\"; charset=k", "a/b", "k"),
    ("a/b; charset=\"\\\"k\\\\\"", "a/b", "\"k\\"), ("a/b ; CharSet = k ", "a/b", "k"),
    ("a/b; charset", "a/b", nil), ("a/b; charset=", "a/b", nil), ("a/b; charset=\"k", "a/b", "k"),
    ("a/b; charset=k, a/b", "a/b", "k"), ("a/b; charset=k, c/d", "c/d", nil), ("", "", nil),
    ("a/b, ", "a/b", nil),
  ])
  func `a media type has an essence and parameters`(
    _ text: String, _ essence: String, _ charset: String?
  ) {
    let type = MediaType(rawValue: text)

    #expect(type.essence == essence)
    #expect(type.parameter("Charset") == charset)
  }
}
