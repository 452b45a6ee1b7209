import Foundation
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct RouteTests {
  @Test(arguments: [
    ("GET /a", "GET /a", true), ("GET /a", "GET /a?q=1", true), ("GET /a", "POST /a", false),
    ("GET /a", "GET /a/", false), ("GET /a", "GET /A", false), ("/a", "DELETE /a", true),
    ("/a%20b", "GET /a%20b", true), ("/a%2Fb", "GET /a/b", false), ("/a/*", "GET /a/b/c", true),
    ("/a/*", "GET /a", false), ("*", "OPTIONS *", true), ("GET *", "GET /any", true),
    ("/a?q=1", "GET /a?q=1", true), ("/a?q=1", "GET /a?q=2", false), ("/a?q=*", "GET /a?q=2", true),
    ("/p", "GET http://example.org/p", true),
  ])
  func `a pattern matches method and path`(pattern: String, request: String, fits: Bool) throws {
    let server = try LoopbackServer { LoopbackRoute(pattern, .bytes("fits")) }

    let answer = try RawClient.exchange(server, "\(request) HTTP/1.1\r\n\r\n")

    #expect((answer == "fits") == fits)
    if !fits { #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n")) }
  }

  @Test func `the first matching route responds`() throws {
    let isExtended = true
    let server = try LoopbackServer {
      LoopbackRoute("/a", .bytes("first"))
      LoopbackRoute("/a", .bytes("second"))
      for name in ["x", "y"] { LoopbackRoute("/\(name)", .bytes(name)) }
      if isExtended { LoopbackRoute("/extended", .bytes("extended")) }
      [LoopbackRoute("/*", .bytes("rest"))]
    }

    let answers = try ["/a", "/y", "/extended", "/b"].map {
      try RawClient.exchange(server, "GET \($0) HTTP/1.1\r\n\r\n")
    }

    #expect(answers == ["first", "y", "extended", "rest"])
  }

  @Test func `answers are given in turn, and the last one is repeated`() throws {
    let server = try LoopbackServer { LoopbackRoute("/", .bytes("1"), .bytes("2"), .bytes("3")) }

    let answers = try (0..<5).map { _ in
      try RawClient.exchange(server, "GET / HTTP/1.1\r\n\r\n")
    }

    #expect(answers == ["1", "2", "3", "3", "3"])
  }

  @Test func `a handler that throws gives status 500 with the error`() throws {
    struct Oops: Error {}
    let server = try LoopbackServer { LoopbackRoute("/") { _ in throw Oops() } }

    let answer = try RawClient.exchange(server, "GET / HTTP/1.1\r\n\r\n")

    #expect(answer.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    #expect(answer.hasSuffix("handler threw: Oops()\n"))
  }

  @Test func `an Expect header is answered before the body is read`() throws {
    let server = try LoopbackServer { LoopbackRoute("POST /") { .response(body: $0.text) } }
    let client = try RawClient(to: server)

    try client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
    #expect(try client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    try client.send("body")

    #expect(try client.receive(through: "body").hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test func `an early response reaches the client although the body is never read`() async throws {
    let server = try LoopbackServer { LoopbackRoute("POST /", answers: .beforeBody, .status(413)) }
    let client = try RawClient(to: server)
    try client.send("POST / HTTP/1.1\r\nContent-Length: 300000\r\n\r\n")
    try client.send([UInt8](repeating: 1, count: 300_000))

    let answer = try client.receiveToEnd()

    #expect(answer.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    #expect(server.requests.map(\.isComplete) == [false])
    #expect(server.requests.map(\.bodyLength) == [0])
  }

  @Test func `a beforeBody route reads the body by its script and logs it as it is read`() throws {
    let server = try LoopbackServer {
      LoopbackRoute("POST /", answers: .beforeBody) { request in
        [
          .bytes("\(request.isComplete) "), .readBody(upTo: 2), .proceed { .bytes($0.text + " ") },
          .readBody, .proceed { .bytes($0.text + ".") },
        ]
      }
    }
    let client = try RawClient(to: server)

    try client.send("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabcdef")
    #expect(try client.receive(through: ".") == "false ab abcdef.")
    try client.send("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx")

    #expect(try client.receive(through: ".") == "false x x.")
    #expect(server.requests.map(\.text) == ["abcdef", "x"])
    #expect(server.statistics.accepted == 1)
  }

  @Test func `an invalid pattern is refused`() async {
    await #expect(processExitsWith: .failure) { _ = LoopbackRoute("users", .status(200)) }
    await #expect(processExitsWith: .failure) { _ = LoopbackRoute("GET /a b", .status(200)) }
  }
}
