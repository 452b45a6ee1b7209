import Foundation
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ReceivedRequestTests {
  @Test func `method, target, version and headers are kept as they were sent`() throws {
    let head =
      "PaTcH /a%20b/%C3%A4?q=%2B&q=x%3F HTTP/1.1\r\nhost: h\r\nX-A:1\r\nx-a:\t 2 \r\nE:\r\n\r\n"

    let request = try receive(head)

    #expect(request.method == "PaTcH")
    #expect(request.target == "/a%20b/%C3%A4?q=%2B&q=x%3F")
    #expect(request.path == "/a%20b/%C3%A4")
    #expect(request.query == "q=%2B&q=x%3F")
    #expect(request.version == "HTTP/1.1")
    #expect(
      request.headers == [
        .init(name: "host", value: "h"), .init(name: "X-A", value: "1"),
        .init(name: "x-a", value: "2"), .init(name: "E", value: ""),
      ])
    #expect(request.rawHead == Data(head.utf8))
    #expect(request.isComplete)
  }

  @Test(arguments: ["\u{301}", "\u{FE0F}"])
  func `a combining accent doesn't hide a delimiter`(mark: String) throws {
    let request = try receive(
      "GET /a?\(mark)b HTTP/1.1\r\nX:\(mark)1\r\nConnection: x,\(mark)close, close\r\n\r\n")

    #expect(request.header("X") == "\(mark)1")
    #expect(request.path == "/a" && request.query == "\(mark)b")
  }

  @Test func `field names aren't case-sensitive`() throws {
    let request = try receive("GET / HTTP/1.1\r\nAccept: a\r\nACCEPT: b\r\n\r\n")

    #expect(request.header("accept") == "a")
    #expect(request.values(of: "Accept") == ["a", "b"])
    #expect(request.header("Cookie") == nil)
  }

  @Test(arguments: [
    ("/", "/", nil), ("/a?", "/a", ""), ("/a?b?c", "/a", "b?c"), ("*", "*", nil),
    ("http://example.org/p?q", "/p", "q"), ("http://example.org", "", nil),
    ("/to?u=http://x/y", "/to", "u=http://x/y"),
  ])
  func `a target has a path and a query`(target: String, path: String, query: String?) throws {
    let request = try receive("GET \(target) HTTP/1.1\r\n\r\n")

    #expect(request.path == path)
    #expect(request.query == query)
  }

  @Test func `a body of known length is read to its last byte`() throws {
    let body = "four\r\n\r\nlines\r\n"

    let request = try receive("PUT / HTTP/1.1\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")

    #expect(request.text == body)
    #expect(request.rawBody == request.body)
    #expect(request.bodyLength == body.utf8.count)
  }

  @Test func `a chunked body is decoded and its framing kept`() throws {
    let framed =
      "4\r\nWiki\r\n6;x=y\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nSum: 1\r\nS: 2\r\n\r\n"

    let request = try receive("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(framed)")

    #expect(request.text == "Wikipedia in \r\n\r\nchunks.")
    #expect(request.rawBody == Data(framed.utf8))
    #expect(request.trailers.map(\.name) == ["Sum", "S"])
    #expect(request.trailers.map(\.value) == ["1", "2"])
  }

  @Test(arguments: 1...40)
  func `a request may arrive in pieces of any size`(size: Int) throws {
    let server = try LoopbackServer { LoopbackRoute("*") { .bytes($0.text) } }
    let first = "POST /1 HTTP/1.1\r\nContent-Length: 3\r\n\r\none"
    let second = "POST /2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n"
    let bytes = Array((first + second).utf8)
    let client = try RawClient(to: server)

    for start in stride(from: 0, to: bytes.count, by: size) {
      try client.send(Array(bytes[start..<min(start + size, bytes.count)]))
    }

    #expect(try client.receive(through: "two") == "onetwo")
  }

  @Test(arguments: [
    "Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n", "Transfer-Encoding: gzip\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\nx\r\n", "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
    "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "no colon\r\n\r\n", ": no name\r\n\r\n",
  ])
  func `broken framing gives status 400 and is logged`(rest: String) throws {
    let server = try LoopbackServer { LoopbackRoute("*", .status(200)) }
    let request = "POST / HTTP/1.1\r\n\(rest)"

    let answer = try RawClient.exchange(server, request)

    #expect(answer.hasPrefix("HTTP/1.1 400 "))
    #expect(server.malformed == [Data(request.utf8)])
  }

  @Test func `bytes beyond the stored size are counted and dropped`() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.maximumStoredBodySize = 10
    let server = try LoopbackServer(configuration) { LoopbackRoute("*", .status(200)) }
    let body = String(repeating: "0123456789", count: 50_000)

    _ = try RawClient.exchange(
      server, "POST / HTTP/1.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")

    #expect(server.requests.map(\.text) == ["0123456789"])
    #expect(server.requests.map(\.bodyLength) == [500_000])
  }

  private func receive(_ bytes: String) throws -> ReceivedRequest {
    let server = try LoopbackServer { LoopbackRoute("*", .status(200)) }
    #expect(try RawClient.exchange(server, bytes).hasPrefix("HTTP/1.1 200 OK\r\n"))
    return try #require(server.requests.first)
  }
}
