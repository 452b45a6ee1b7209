import Foundation
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct LoopbackServerLogTests {
  @Test func `waiting for requests ends when the count is reached`() async throws {
    let server = try LoopbackServer { LoopbackRoute("*", .status(200)) }
    async let three = server.waitForRequests(count: 3)

    for target in ["/1", "/2", "/3"] {
      _ = try RawClient.exchange(server, "GET \(target) HTTP/1.1\r\n\r\n")
    }

    #expect(try await three.map(\.target) == ["/1", "/2", "/3"])
  }

  @Test func `waiting for events that have happened returns at once`() async throws {
    let server = try LoopbackServer { LoopbackRoute("*", .status(200)) }
    _ = try RawClient.exchange(server, "GET / HTTP/1.1\r\n\r\n")

    #expect(try await server.waitForRequests(count: 1).count == 1)
    #expect(try await server.waitForRequests(count: 0).count == 1)
  }

  @Test func `a cancelled wait throws`() async throws {
    let server = try LoopbackServer()
    let wait = Task { try await server.waitForRequests(count: 1) }

    wait.cancel()

    await #expect(throws: CancellationError.self) { try await wait.value }
  }

  @Test func `stopping ends only the waits whose condition isn't true`() async throws {
    let server = try LoopbackServer { LoopbackRoute("*", .status(200)) }
    _ = try RawClient.exchange(server, "GET / HTTP/1.1\r\n\r\n")
    let wait = Task { try await server.waitForRequests(count: 2) }

    server.stop()

    await #expect(throws: LoopbackError.self) { try await wait.value }
    await #expect(throws: LoopbackError.self) { try await server.waitForDisconnects(count: 9) }
    #expect(try await server.waitForRequests(count: 1).count == 1)
  }

  @Test func `the number of requests in flight and its maximum are counted`() async throws {
    let gate = Gate()
    let server = try LoopbackServer { LoopbackRoute("/", [.wait(gate), .status(204)]) }
    let clients = try (0..<5).map { _ in try RawClient(to: server) }
    for client in clients { try client.send("GET / HTTP/1.1\r\n\r\n") }
    let busy = try await server.wait { $0.inFlight == 5 }

    gate.open()
    for client in clients { _ = try client.receive(through: "\r\n\r\n") }

    #expect(busy.open == 5)
    #expect(server.statistics.inFlight == 0)
    #expect(server.statistics.peakInFlight == 5)
    #expect(server.statistics.peakOpen == 5)
  }

  @Test func `a request is no longer in flight when its client has the response`() throws {
    let server = try LoopbackServer {
      LoopbackRoute("/whole", .json("{}"))
      LoopbackRoute("/closed", [.bytes("HTTP/1.1 200 OK\r\n\r\nend"), .close])
      LoopbackRoute("/chunked", .chunked(["a", "b"]))
      LoopbackRoute("/dripped", .drip("0123456789", size: 4, every: .zero))
      LoopbackRoute("/repeated", .repeating("0123456789", count: 10_000))
    }
    let ends = [
      "/whole": "{}", "/closed": "end", "/chunked": "0\r\n\r\n", "/dripped": "9", "/repeated": "",
    ]

    for (target, end) in ends {
      for _ in 0..<20 {
        let client = try RawClient(to: server)
        try client.send("GET \(target) HTTP/1.1\r\nConnection: close\r\n\r\n")
        _ = end.isEmpty ? try client.receiveToEnd() : try client.receive(through: end)
        #expect(server.statistics.inFlight == 0)
      }
    }

    #expect(server.statistics.peakInFlight == 1)
  }

  @Test(arguments: [
    Script.silence, .delay(.seconds(60)), .drip("long", every: .seconds(60)),
    .repeatForever("again "),
  ])
  func `a disconnect is noticed in every step that takes time`(step: Script) async throws {
    let server = try LoopbackServer { LoopbackRoute("/", step) }
    let client = try RawClient(to: server)
    try client.send("GET / HTTP/1.1\r\n\r\n")
    try await server.waitForRequests(count: 1)

    client.close()

    try await server.waitForDisconnects(count: 1)
    #expect(server.connections.map(\.termination) == [.aborted])
    #expect(server.statistics.inFlight == 0)
  }

  @Test(arguments: [true, false])
  func `a disconnect is noticed at a gate`(byReset: Bool) async throws {
    let gate = Gate()
    let server = try LoopbackServer { LoopbackRoute("/", [.wait(gate), .status(200)]) }
    let client = try RawClient(to: server)
    try client.send("GET / HTTP/1.1\r\n\r\n")
    try await gate.waitForArrivals(count: 1)

    if byReset { client.reset() } else { client.close() }

    try await server.waitForDisconnects(count: 1)
    #expect(server.statistics.aborts == 1)
  }

  @Test func `a disconnect between requests doesn't count as aborted`() async throws {
    let server = try LoopbackServer { LoopbackRoute("/", .bytes("done")) }
    let client = try RawClient(to: server)
    try client.send("GET / HTTP/1.1\r\n\r\n")
    _ = try client.receive(through: "done")

    client.close()

    try await server.waitForDisconnects(count: 1)
    #expect(server.connections.map(\.termination) == [.byClient])
    #expect(server.connections.map(\.requests) == [1])
    #expect(server.statistics.aborts == 0)
  }

  @Test(arguments: ["POST / HTTP/1.1\r\nContent-Le", "POST / HTTP/1.1\r\n\r", "P"])
  func `a disconnect within a head counts as aborted`(bytes: String) async throws {
    let server = try LoopbackServer { LoopbackRoute("/", .status(200)) }

    _ = try RawClient.exchange(server, bytes)

    try await server.waitForDisconnects(count: 1)
    #expect(server.connections.map(\.termination) == [.aborted])
    #expect(server.requests.isEmpty)
  }

  @Test func `a request that breaks off in its body is listed with the part that has arrived`()
    async throws
  {
    let server = try LoopbackServer { LoopbackRoute("/", .status(200)) }

    _ = try RawClient.exchange(server, "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf")

    try await server.waitForDisconnects(count: 1)
    #expect(server.connections.map(\.termination) == [.aborted])
    #expect(server.requests.map(\.text) == ["half"])
    #expect(server.requests.map(\.isComplete) == [false])
  }
}
