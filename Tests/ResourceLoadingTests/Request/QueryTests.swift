import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn)
struct QueryTests {
  @Test func `the sample of the issue has the expected query`() throws {
    let request = Request.get("dict").query(["q": "jeopardize"])

    #expect(request.url.relativeString == "dict?q=jeopardize")
  }

  @Test func `everything but the unreserved is escaped`() throws {
    let all = String(decoding: (1...126).map { UInt8($0) } + Array("ü€𝄞".utf8), as: UTF8.self)

    let query: QueryItems = [all: all]

    let kept = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
    let bare = query.encoded.replacing(#/%[0-9A-F]{2}/#, with: "")
    #expect(bare == "\(kept)=\(kept)")
    #expect(query.encoded.removingPercentEncoding == "\(all)=\(all)")
  }

  @Test(arguments: [
    "a=%2f&b", "a=1&a=2", "=", "a==b", "a&&b", "q=a+b,c;d:@/?!$'()*", "%F0%9D%84%9E=%00", "&",
  ])
  func `an encoded query is sent unchanged`(_ text: String) throws {
    let request = try Request.get(#require(URL(string: "http://h/p?own=%2f+")))
      .query(QueryItems(encoded: text))

    #expect(try WireRequest(request).url.absoluteString == "http://h/p?own=%2f+&\(text)")
  }

  @Test(arguments: ["a b", "a=%", "a=%2", "a=%zz", "a[]=1", "a=ü", "a#b", "a=\r\n", "a\"b", "%+1"])
  func `a query that isn't encoded as stated is refused`(_ text: String) throws {
    let request = try Request.get(#require(URL(string: "http://h/p"))).query(
      QueryItems(encoded: text))

    let error = #expect(throws: LoadError.self) { try WireRequest(request) }

    #expect(error?.kind == .invalidRequest)
    #expect(error?.reason.contains("isn't percent-encoded") == true)
  }

  @Test(arguments: [("/a%2Fb/c:d", true), ("a@b/", true), ("", true), ("//x", true)])
  func `an encoded path is sent unchanged`(_ text: String, _ isValid: Bool) throws {
    let path = RequestPath(encoded: text)

    try path.check()
    #expect(path.encoded == text)
  }

  @Test(arguments: ["a b", "/%", "/%4", "/%gg", "/a?b", "/a#b", "/ü", "a:b", "/[", "/a\\b", "/\n"])
  func `a path that isn't encoded as stated is refused`(_ text: String) throws {
    for request in [Request.get(RequestPath(encoded: text))] {
      let error = #expect(throws: LoadError.self) { try WireRequest(request) }
      #expect(error?.reason.contains("isn't percent-encoded") == true)
    }
  }

  @Test func `an item is read, replaced, changed and removed by its name`() {
    var query = QueryItems(encoded: "a=%2f&b=1&c&b=2")

    #expect(query["a"] == "/" && query["c"]?.isEmpty == true && query["d"] == nil)
    query["b"] = "3 4"
    #expect(query.encoded == "a=%2f&b=3%204&c")
    query["b"] = nil
    query["d"] = "5"
    #expect(query.encoded == "a=%2f&c&d=5")
    query.items[0].value = "/"
    #expect(query.encoded == "a=%2F&c&d=5")
  }

  @Test func `several queries are joined`() {
    let request = Request.get("p").query(["a": 1]).query(encoding: ["b": [1, 2]])
      .query(
        ["c": ["d": 3]],
        style: { () -> Parameters.Style in
          var style = Parameters.Style()
          style.nesting = .dots
          return style
        }())

    #expect(request.url.relativeString == "p?a=1&b=1&b=2&c.d=3")
  }
}
