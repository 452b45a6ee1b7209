import Testing

@testable import ResourceInspector

struct InspectorRequestTests {
  private let own = "127.0.0.1:8080"

  private func answer(
    _ line: String, _ fields: String..., host: String = "127.0.0.1:8080"
  ) -> InspectorRequest.Answer? {
    let lines = [line, "Host: \(host)"] + fields + ["", ""]
    return InspectorRequest(head: Array(lines.joined(separator: "\r\n").utf8))?
      .answer(at: own, token: "token")
  }

  @Test func `each target has its answer`() {
    #expect(answer("GET /token/ HTTP/1.1") == .page)
    #expect(answer("GET /token/events?since=12 HTTP/1.1") == .events(since: 12))
    #expect(
      answer("GET /token/events?since=12 HTTP/1.1", "Last-Event-ID: 40") == .events(since: 40))
    #expect(answer("GET /token/events?since=x HTTP/1.1") == .events(since: 0))
    #expect(answer("GET /token/loads/7 HTTP/1.1") == .load(7))
    #expect(answer("GET /token/archive.har?loads=1,2,x HTTP/1.1") == .archive([1, 2]))
    #expect(answer("GET /token/loads.html?loads=3 HTTP/1.0") == .savedPage([3]))
  }

  @Test(arguments: [
    "/", "/token", "/Token/", "/toke/", "/token2/", "//", "/token/x", "/token/loads/x",
  ])
  func `a wrong token or target gets nothing`(_ target: String) {
    #expect(answer("GET \(target) HTTP/1.1") == .refused(404))
  }

  @Test(arguments: [
    "localhost:8080", "127.0.0.1", "127.0.0.1:80", "evil.example:8080",
    "127.0.0.1:8080.evil.example", "", "user@127.0.0.1:8080",
  ])
  func `another host gets nothing, whatever the token`(_ host: String) {
    #expect(answer("GET /token/ HTTP/1.1", host: host) == .refused(421))
  }

  @Test func `two hosts or none are refused`() {
    #expect(answer("GET /token/ HTTP/1.1", "Host: \(own)") == .refused(421))
    let head = InspectorRequest(head: Array("GET /token/ HTTP/1.0\r\n\r\n".utf8))
    #expect(head?.answer(at: own, token: "token") == .refused(421))
  }

  @Test(arguments: [
    "null", "https://127.0.0.1:8080", "http://evil.example", "http://127.0.0.1:8081",
    "http://127.0.0.1:8080.evil.example",
  ])
  func `another origin gets nothing, whatever the token`(_ origin: String) {
    #expect(answer("GET /token/ HTTP/1.1", "Origin: \(origin)") == .refused(403))
    #expect(answer("GET /token/ HTTP/1.1", "Origin: http://\(own)") == .page)
  }

  @Test(arguments: ["POST", "HEAD", "PUT", "OPTIONS", "get", "DELETE"])
  func `only GET is answered`(_ method: String) {
    #expect(answer("\(method) /token/ HTTP/1.1") == .refused(405))
  }

  @Test func `a body is refused`() {
    #expect(answer("GET /token/ HTTP/1.1", "Content-Length: 3") == .refused(400))
    #expect(answer("GET /token/ HTTP/1.1", "Transfer-Encoding: chunked") == .refused(400))
  }

  @Test(arguments: [
    "", "GET", "GET /", "GET / HTTP/2", "GET  / HTTP/1.1", "GET http://127.0.0.1/ HTTP/1.1",
    "GET / HTTP/1.1 x",
  ])
  func `what isn't HTTP/1 with a path isn't a request`(_ line: String) {
    #expect(answer(line) == nil)
  }

  @Test func `fields without names and bytes that aren't text aren't a request`() {
    #expect(answer("GET /token/ HTTP/1.1", ": x") == nil)
    #expect(answer("GET /token/ HTTP/1.1", "x") == nil)
    #expect(InspectorRequest(head: Array("GET / HTTP/1.1\r\n".utf8) + [0xFF, 13, 10]) == nil)
  }
}
