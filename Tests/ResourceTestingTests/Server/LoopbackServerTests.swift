import Foundation
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct LoopbackServerTests {
  @Test func `one connection serves many requests`() throws {
    let server = try LoopbackServer { LoopbackRoute("*") { .response(body: $0.target) } }
    let client = try RawClient(to: server)

    for target in ["/a", "/b", "/c"] {
      try client.send("GET \(target) HTTP/1.1\r\n\r\n")
      #expect(try client.receive(through: target).hasSuffix("\r\n\r\n" + target))
    }

    #expect(server.statistics.accepted == 1)
    #expect(server.requests.map(\.target) == ["/a", "/b", "/c"])
    #expect(server.requests.map(\.connection) == [1, 1, 1])
  }

  @Test func `pipelined requests are answered in order`() throws {
    let server = try LoopbackServer { LoopbackRoute("*") { .bytes($0.target) } }
    let requests = (1...50).map { "GET /\($0) HTTP/1.1\r\n\r\n" }.joined()

    let answers = try RawClient.exchange(server, requests)

    #expect(answers == (1...50).map { "/\($0)" }.joined())
  }

  @Test(arguments: [
    ("HTTP/1.1", "", false), ("HTTP/1.1", "Connection: close\r\n", true),
    ("HTTP/1.1", "Connection: x, Close\r\n", true), ("HTTP/1.0", "", true),
    ("HTTP/1.0", "Connection: keep-alive\r\n", false),
  ])
  func `a connection stays open unless the request says otherwise`(
    version: String, header: String, closes: Bool
  ) async throws {
    let server = try LoopbackServer { LoopbackRoute("/", .bytes("answer")) }
    let client = try RawClient(to: server)

    try client.send("GET / \(version)\r\n\(header)\r\n")
    #expect(try client.receive(through: "answer") == "answer")
    if closes { #expect(try client.receiveToEnd() == "") } else { client.close() }

    let ending = closes ? ReceivedConnection.Termination.byServer : .byClient
    try await server.wait { $0.open == 0 }
    #expect(server.connections.map(\.termination) == [ending])
  }

  @Test func `a server can listen on IPv6`() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.address = .ipv6
    let server = try LoopbackServer(configuration) { LoopbackRoute("/", .bytes("six")) }

    #expect(try RawClient.exchange(server, "GET / HTTP/1.1\r\n\r\n") == "six")
    #expect(server.url("/a?b").absoluteString == "http://[::1]:\(server.port)/a?b")
  }

  @Test func `the server's URLs have its host and port and the target`() throws {
    let server = try LoopbackServer()

    #expect(server.url().absoluteString == "http://127.0.0.1:\(server.port)/")
    #expect(server.url("/a%20b?c=d").absoluteString == "http://127.0.0.1:\(server.port)/a%20b?c=d")
  }

  @Test func `a port in use is an error that names the system call`() throws {
    let server = try LoopbackServer()
    var configuration = LoopbackServer.Configuration()
    configuration.port = UInt16(server.port)

    let error = #expect(throws: LoopbackError.self) { try LoopbackServer(configuration) }

    #expect(error?.operation == "listen" || error?.operation == "bind")
    #expect(error?.description.contains("in use") == true)
  }

  @Test func `an added route takes precedence`() throws {
    let server = try LoopbackServer { LoopbackRoute("/", .bytes("old")) }

    server.add { LoopbackRoute("/", .bytes("new")) }

    #expect(try RawClient.exchange(server, "GET / HTTP/1.1\r\n\r\n") == "new")
  }

  @Test(
    arguments: [
      (.bytes("hello"), "hello"), (.close, ""), ([.delay(.milliseconds(1)), .close], ""),
    ] as [(Script, String)])
  func `a script can run on a connection before anything is read`(
    script: Script, received: String
  ) throws {
    var configuration = LoopbackServer.Configuration()
    configuration.onAccept = { _ in [script, .close] }
    let server = try LoopbackServer(configuration)

    #expect(try RawClient(to: server).receiveToEnd() == received)
  }

  @Test func `a connection can be reset before anything is read`() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.onAccept = { $0 == 1 ? .reset : [] }
    let server = try LoopbackServer(configuration) { LoopbackRoute("/", .bytes("second")) }

    let first = try RawClient(to: server)
    #expect(throws: RawClient.Failure.self) { try first.receiveSome() }

    #expect(try RawClient.exchange(server, "GET / HTTP/1.1\r\n\r\n") == "second")
  }

  @Test func `a client that disconnects during the script for new connections counts as aborted`()
    async throws
  {
    var configuration = LoopbackServer.Configuration()
    configuration.onAccept = { _ in .silence }
    let server = try LoopbackServer(configuration)
    let client = try RawClient(to: server)

    client.close()

    try await server.waitForDisconnects(count: 1)
    #expect(server.statistics.aborts == 1)
  }

  @Test(arguments: [
    "hello\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", " / HTTP/1.1\r\n\r\n",
  ])
  func `bytes that aren't HTTP give status 400 and are logged`(bytes: String) throws {
    let server = try LoopbackServer { LoopbackRoute("*", .status(200)) }

    #expect(try RawClient.exchange(server, bytes).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))

    #expect(server.statistics.requests == 0)
    #expect(server.malformed == [Data(bytes.utf8)])
  }
}
