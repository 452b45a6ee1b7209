import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LoopbackArchiveTests {
  private func archive(_ response: HTTPArchive.Response, at url: String = "https://a.example/x?y=1")
    -> HTTPArchive
  {
    HTTPArchive([HTTPArchive.Entry(request: .init("GET", url: url), response: response)])
  }

  private func exchange(_ server: LoopbackServer, _ target: String = "/x?y=1") throws -> String {
    // A client that closed its side would end waiting scripts.
    let client = try RawClient(to: server)
    try client.send("GET \(target) HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
    return try client.receiveToEnd()
  }

  @Test func `a response is sent byte for byte`() throws {
    let response = HTTPArchive.Response(
      status: 299, reason: "Rather Fine",
      headers: ["X-b": "1", "Content-LENGTH": "4", "x-A": "2", "X-b": "3"],
      body: .init(Data("body".utf8)))
    let server = try LoopbackServer { LoopbackRoute(playing: archive(response)) }
    defer { server.stop() }

    #expect(
      try exchange(server)
        == "HTTP/1.1 299 Rather Fine\r\nX-b: 1\r\nContent-LENGTH: 4\r\nx-A: 2\r\nX-b: 3\r\n\r\nbody"
    )
  }

  @Test func `a body whose coding was removed is sent with its length`() throws {
    let response = HTTPArchive.Response(
      status: 200,
      headers: ["Content-Encoding": "br", "Content-Length": "2", "Transfer-Encoding": "chunked"],
      body: .init(Data("decoded".utf8)))
    let server = try LoopbackServer { LoopbackRoute(playing: archive(response)) }
    defer { server.stop() }

    #expect(try exchange(server) == "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ndecoded")
  }

  @Test func `a request that isn't in the file gets a 404 with the nearest entry`() throws {
    let server = try LoopbackServer { LoopbackRoute(playing: archive(.init(status: 200))) }
    defer { server.stop() }

    let answer = try exchange(server, "/x?y=2")

    #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
    #expect(answer.contains(#"where the query has "y=2", recorded "y=1""#))
  }

  @Test(arguments: Engine.allCases)
  func `a browser's redirect to its own origin stays on the server`(_ engine: Engine) async throws {
    let entries = [
      HTTPArchive.Entry(
        request: .init("GET", url: "https://a.example/old"),
        response: .init(status: 302, headers: [.location: "https://a.example/new?x=1"])),
      HTTPArchive.Entry(
        request: .init("GET", url: "https://a.example/new?x=1"),
        response: .init(status: 200, body: .init(Data("moved".utf8)))),
    ]
    let server = try LoopbackServer { LoopbackRoute(playing: HTTPArchive(entries)) }
    defer { server.stop() }

    let text = try await Client { $0.transport = engine.makeTransport() }
      .load(.text(server.url("/old")))

    #expect(text == "moved")
  }

  @Test(arguments: ["https://a.example", "https://A.example:443"])
  func `a redirect to a recorded origin leads to the server in every spelling`(
    _ origin: String
  ) throws {
    let response = HTTPArchive.Response(
      status: 302, headers: [.location: origin + "/new?x=1#y"], body: nil)
    let server = try LoopbackServer { LoopbackRoute(playing: archive(response)) }
    defer { server.stop() }

    #expect(try exchange(server).contains(": /new?x=1#y\r\n"))
  }

  @Test(arguments: Engine.allCases)
  func `files from browsers are served to any client`(_ engine: Engine) async throws {
    let served = [
      (BrowserArchives.chrome, "/users/1?a=1&b=2", #"{"login":"octocat"}"#),
      (BrowserArchives.chrome, "/cached", "cached"), (BrowserArchives.safari, "/status", "fine"),
    ]
    for (text, target, body) in served {
      let archive = try HTTPArchive(data: Data(text.utf8))
      let server = try LoopbackServer { LoopbackRoute(playing: archive) }
      defer { server.stop() }
      let client = Client { $0.transport = engine.makeTransport() }
      #expect(try await client.load(.text(server.url(target))) == body)
    }
  }

  @Test func `faults can be added to recorded responses`() throws {
    let response = HTTPArchive.Response(status: 200, body: .init(Data("0123456789".utf8)))
    let whole = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"
    func answer(_ change: @escaping @Sendable (HTTPArchive.Entry, Script) -> Script) throws
      -> String
    {
      let server = try LoopbackServer { LoopbackRoute(playing: archive(response), change) }
      defer { server.stop() }
      return try exchange(server)
    }

    for count in [0, 1, 17, whole.utf8.count - 1] {
      #expect(try answer { $1.cut(after: count) } == whole.start(count))
    }
    #expect(try answer { $1.cut(after: 1000) } == whole)
    #expect(try answer { [.delay(.milliseconds(1)), $1] } == whole)
    #expect(try answer { _, script in [script.cut(after: 20, .close), script] } == whole.start(20))
    #expect(throws: RawClient.Failure.self) { try answer { _, _ in .reset } }
    #expect(throws: RawClient.Failure.self) { try answer { $1.cut(after: 5, .reset) } }
  }

  @Test func `a failed exchange fails again`() throws {
    var cut = HTTPArchive.Entry(
      request: .init("GET", url: "https://a.example/cut"),
      response: .init(status: 200, headers: [.contentLength: "9"], body: .init(Data("only".utf8))))
    cut.failure = .init(.connection, "the connection broke")
    var refused = HTTPArchive.Entry(
      request: .init("GET", url: "https://a.example/refused"), response: .init(status: 0))
    refused.failure = .init(.connection, "the connection was refused")
    let server = try LoopbackServer { LoopbackRoute(playing: HTTPArchive([cut, refused])) }
    defer { server.stop() }

    #expect(try exchange(server, "/cut") == "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nonly")
    #expect(throws: RawClient.Failure.self) { try exchange(server, "/refused") }
  }

  @Test(arguments: ["/web/http://b.example/c", "//b.example/c", "/x?u=http://b.example/"])
  func `a path that contains another URL is found`(_ target: String) throws {
    let response = HTTPArchive.Response(status: 200, body: .init(Data("found".utf8)))
    let server = try LoopbackServer {
      LoopbackRoute(playing: archive(response, at: "https://a.example\(target)"))
    }
    defer { server.stop() }

    #expect(try exchange(server, target).hasSuffix("\r\n\r\nfound"))
  }

  @Test func `a cut beyond the end changes nothing`() throws {
    let script: Script = [.repeating("ab", count: 2), .repeating("", count: 9), .bytes("c")]
    let server = try LoopbackServer { LoopbackRoute("/", script.cut(after: .max)) }
    defer { server.stop() }

    #expect(try exchange(server, "/") == "ababc")
  }

  @Test func `a script can be cut in every kind of step`() throws {
    let scripts: [(Script, String)] = [
      (.bytes("0123456789"), "01234"), (.drip("0123456789", size: 2, every: .zero), "01234"),
      (.repeating("ab", count: 9), "ababa"), (.repeatForever("abc"), "abcab"),
      ([.bytes("ab"), .delay(.milliseconds(1)), .bytes("cdefg")], "abcde"), (.bytes("ab"), "ab"),
    ]
    for (script, expected) in scripts {
      let server = try LoopbackServer { LoopbackRoute("/", script.cut(after: 5)) }
      defer { server.stop() }
      #expect(try exchange(server, "/") == expected, "\(script)")
    }
  }
}

extension String {
  fileprivate func start(_ count: Int) -> String {
    String(decoding: utf8.prefix(count), as: UTF8.self)
  }
}
