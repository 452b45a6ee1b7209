import Foundation
import ResourceLoading
import TestSupport
import Testing

@Suite(.inTurn)
struct RequestChangingTests {
  @Test func `each change returns a changed copy and leaves the rest`() throws {
    let plain = Request.post("notes").header("X-A", "1")

    let changed = plain.header("x-a", "2").header("X-B", "3").header("X-B", nil)
      .headers(["X-C": "4", "x-c": "5", "X-A": "6"]).accept(.json, .text)
      .json(["a": 1]).timeout(.seconds(1)).idleTimeout(.seconds(2)).acceptedStatuses([404])
      .maximumBodySize(7).redirects(.never).query(["q": "r"])

    #expect(plain == Request.post("notes").header("X-A", "1"))
    #expect(
      changed.headers.map { "\($0.name): \($0.value)" } == [
        "X-C: 4", "x-c: 5", "X-A: 6", "Accept: application/json, text/plain; charset=utf-8",
      ])
    #expect(changed.body == .json(["a": 1]))
    #expect(changed.options.timeout == .seconds(1) && changed.options.idleTimeout == .seconds(2))
    #expect(changed.options.acceptedStatuses == [404] && changed.options.maximumBodySize == 7)
    #expect(changed.options.redirects == Request.RedirectPolicy.never)
    #expect(changed.query == ["q": "r"])
    #expect(changed.body(nil).body == nil)
  }

  @Test func `headers come from a dictionary, sorted by name`() {
    let values = ["X-B": "2", "X-A": "1", "Accept": "a/b"]

    let headers = Headers(values)

    #expect(headers.map { "\($0.name): \($0.value)" } == ["Accept: a/b", "X-A: 1", "X-B: 2"])
    #expect(Request.get("p").headers(headers).headers[.accept] == "a/b")
  }

  @Test(arguments: [
    (Request.get("p"), "GET"), (.head("p"), "HEAD"), (.post("p"), "POST"), (.put("p"), "PUT"),
    (.patch("p"), "PATCH"), (.delete("p"), "DELETE"), (Request(.options, "p"), "OPTIONS"),
    (Request(.init(rawValue: "PURGE"), "p"), "PURGE"),
  ])
  func `every method has a short form`(_ request: Request, _ method: String) throws {
    let url = try #require(URL(string: "http://h/p"))
    let absolute: [Request] = [
      .get(url), .head(url), .post(url), .put(url), .patch(url), .delete(url),
      Request(.options, url: url),
    ]

    #expect(request.method.rawValue == method)
    #expect(absolute.map(\.method.rawValue).contains(method) || method == "PURGE")
    #expect(absolute.allSatisfy { $0.url == url })
  }
}
