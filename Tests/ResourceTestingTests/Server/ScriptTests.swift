import Foundation
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ScriptTests {
  private struct User: Encodable {
    let name: String
  }

  @Test(
    arguments: [
      (.bytes("HTTP/1.0 299 Odd  Words\r\nx:y\r\n\r\n"), "HTTP/1.0 299 Odd  Words\r\nx:y\r\n\r\n"),
      (.bytes([72, 105]), "Hi"),
      (
        .status(503, headers: ["Retry-After": "1"]),
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
      ),
      (.status(204), "HTTP/1.1 204 No Content\r\n\r\n"),
      (.status(299), "HTTP/1.1 299 Status 299\r\nContent-Length: 0\r\n\r\n"),
      (
        .informational(103, headers: ["Link": "</a>"]),
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      ),
      (
        .response(status: 201, headers: ["B": "1", "A": "2", "B": "3"], body: "done"),
        "HTTP/1.1 201 Created\r\nB: 1\r\nA: 2\r\nB: 3\r\nContent-Length: 4\r\n\r\ndone"
      ),
      (
        .response(headers: ["content-length": "9"], body: "short"),
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort"
      ),
      (
        .json("[1"),
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[1"
      ),
      (
        .redirect(to: "../a", status: 307),
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: ../a\r\nContent-Length: 0\r\n\r\n"
      ),
      (
        .chunked(["one", "", "0123456789abcdef"], headers: ["A": "b"], trailers: ["Sum": "1"]),
        "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "3\r\none\r\n10\r\n0123456789abcdef\r\n0\r\nSum: 1\r\n\r\n"
      ),
      (
        [.head(headers: ["A": "b"]), .chunk("x"), .lastChunk()],
        "HTTP/1.1 200 OK\r\nA: b\r\n\r\n1\r\nx\r\n0\r\n\r\n"
      ),
      (.drip("drip", size: 3, every: .zero), "drip"),
      (.repeating("ab", count: 3), "ababab"),
      ([], ""),
      ([[.bytes("a"), [.bytes("b")]], .delay(.milliseconds(1)), .bytes("c")], "abc"),
    ] as [(Script, String)])
  func `a script writes exactly these bytes`(script: Script, bytes: String) throws {
    let server = try LoopbackServer { LoopbackRoute("/", [script, .close]) }
    let client = try RawClient(to: server)

    try client.send("GET / HTTP/1.1\r\n\r\n")

    #expect(try client.receiveToEnd() == bytes)
  }

  @Test(
    arguments: [
      (.bytes("GET\r\n"), #""GET\r\n""#), (.status(404), "404 Not Found"),
      (
        .bytes(String(repeating: "x", count: 90)),
        "\"\(String(repeating: "x", count: 60))…\" (90 bytes)"
      ),
      ([.delay(.milliseconds(50)), .close], "delay 0.05 seconds, close"), ([], "nothing"),
      (.drip("ab", size: 2, every: .seconds(1)), "drip \"ab\" by 2 every 1.0 seconds"),
      ([.repeating("a", count: 3), .repeatForever("b")], "3 times \"a\", forever \"b\""),
      (
        [.wait(Gate()), .silence, .halfClose, .reset], "wait at a gate, silence, half-close, reset"
      ),
      ([.readBody, .readBody(upTo: 9)], "read the body, read 9 bytes of the body"),
      (
        [.readBody(size: 9, every: .seconds(1)), .proceed { _ in [] }],
        "read the body by 9 every 1.0 seconds, proceed"
      ),
    ] as [(Script, String)])
  func `a script's description lists its steps`(script: Script, description: String) {
    #expect(script.description == description)
  }

  @Test func `a value is sent as JSON`() throws {
    let server = try LoopbackServer {
      LoopbackRoute("/") { _ in try .json(encoding: User(name: "x")) }
    }

    #expect(
      try RawClient.exchange(server, "GET / HTTP/1.1\r\n\r\n").hasSuffix("\r\n\r\n{\"name\":\"x\"}")
    )
  }

  @Test func `a response to HEAD has the length and no body`() throws {
    let server = try LoopbackServer { LoopbackRoute("/", .response(body: "body")) }

    #expect(
      try RawClient.exchange(server, "HEAD / HTTP/1.1\r\n\r\n")
        == "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
  }

  @Test func `a response with Connection: close closes the connection`() throws {
    let server = try LoopbackServer {
      LoopbackRoute("/", .status(200, headers: ["connection": "Close"]))
    }
    let client = try RawClient(to: server)

    try client.send("GET / HTTP/1.1\r\n\r\n")

    #expect(try client.receiveToEnd().hasSuffix("connection: Close\r\nContent-Length: 0\r\n\r\n"))
  }

  @Test func `a script waits at a gate`() async throws {
    let gate = Gate()
    let server = try LoopbackServer { LoopbackRoute("/", [.bytes("a"), .wait(gate), .bytes("b")]) }
    let client = try RawClient(to: server)
    try client.send("GET / HTTP/1.1\r\n\r\n")
    #expect(try client.receiveSome() == Array("a".utf8))
    try await gate.waitForArrivals(count: 1)

    gate.open()

    #expect(try client.receiveSome() == Array("b".utf8))
  }

  @Test func `a delay lasts for its duration`() throws {
    let server = try LoopbackServer {
      LoopbackRoute("/", [.delay(.milliseconds(50)), .bytes("late")])
    }
    let client = try RawClient(to: server)

    let elapsed = try ContinuousClock().measure {
      try client.send("GET / HTTP/1.1\r\n\r\n")
      _ = try client.receiveSome()
    }

    #expect(elapsed >= .milliseconds(50))
  }

  @Test func `dripping sends a few bytes at a time`() throws {
    let server = try LoopbackServer {
      LoopbackRoute("/", [.drip("0123456789", size: 3, every: .milliseconds(10)), .close])
    }
    let client = try RawClient(to: server)

    let elapsed = try ContinuousClock().measure {
      try client.send("GET / HTTP/1.1\r\n\r\n")
      #expect(try client.receiveToEnd() == "0123456789")
    }

    #expect(elapsed >= .milliseconds(30))
  }

  @Test func `a half-closed connection still reads`() async throws {
    let server = try LoopbackServer { LoopbackRoute("/", [.bytes("end"), .halfClose]) }
    let client = try RawClient(to: server)
    try client.send("GET / HTTP/1.1\r\n\r\n")
    #expect(try client.receiveToEnd() == "end")

    for _ in 0..<10 { try client.send("still heard") }
    client.close()

    try await server.wait { $0.open == 0 }
    #expect(server.connections.map(\.termination) == [.byServer])
    #expect(server.statistics.requests == 1)
  }

  @Test func `a reset step resets the connection`() throws {
    let server = try LoopbackServer { LoopbackRoute("/", .reset) }
    let client = try RawClient(to: server)
    try client.send("GET / HTTP/1.1\r\n\r\n")

    let failure = #expect(throws: RawClient.Failure.self) { try client.receiveSome() }

    #expect(failure?.isReset == true)
  }

  @Test func `a server that reads slowly slows the client down`() async throws {
    let gate = Gate()
    var configuration = LoopbackServer.Configuration()
    configuration.receiveBuffer = 16_384
    let server = try LoopbackServer(configuration) {
      LoopbackRoute("POST /", answers: .beforeBody) { _ in
        [.readBody(upTo: 1000), .wait(gate), .readBody(size: 50_000_000, every: .zero), .close]
      }
    }
    let client = try RawClient(to: server)
    try client.send("POST / HTTP/1.1\r\nContent-Length: 50000000\r\n\r\n")

    let taken = try client.sendUntilFull()
    try await gate.waitForArrivals(count: 1)
    #expect(server.requests.map(\.bodyLength) == [1000])
    gate.open()
    try client.send([UInt8](repeating: 120, count: 50_000_000 - taken))

    #expect(taken < 20_000_000)
    #expect(try client.receiveToEnd() == "")
    #expect(server.requests.map(\.bodyLength) == [50_000_000])
  }

  @Test func `an endless body is written only as fast as it is read`() async throws {
    let server = try LoopbackServer { LoopbackRoute("/", [.head(), .repeatForever("0123456789")]) }
    let client = try RawClient(to: server)
    try client.send("GET / HTTP/1.1\r\n\r\n")

    for _ in 0..<100 { #expect(try client.receiveSome().isEmpty == false) }
    client.close()

    try await server.waitForDisconnects(count: 1)
  }
}
