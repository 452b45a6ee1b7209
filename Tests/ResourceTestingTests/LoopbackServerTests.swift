import Foundation
import ResourceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoopbackServerTests {
  @Test func `bytes arrive exactly as they were written`() throws {
    let answer = "HTTP/1.0 299 Odd  Words\r\nx:y\r\nX: \u{e9}\r\n\r\nbody"
    let server = try LoopbackServer { Route("GET /", .bytes(answer)) }

    #expect(try RawClient.exchange(server, "GET / HTTP/1.1\r\n\r\n") == answer)
  }

  @Test func `one connection serves many requests`() async throws {
    let server = try LoopbackServer { Route("*") { .response(body: $0.target) } }
    let client = try RawClient(to: server)

    for target in ["/a", "/b", "/c"] {
      try client.send("GET \(target) HTTP/1.1\r\n\r\n")
      #expect(try client.receive(through: target).hasSuffix("\r\n\r\n" + target))
    }

    #expect(server.statistics.accepted == 1)
    #expect(server.requests.map(\.target) == ["/a", "/b", "/c"])
    #expect(server.requests.map(\.connection) == [1, 1, 1])
  }

  @Test func `an aborted request is noticed while the script waits`() async throws {
    let gate = Gate()
    let server = try LoopbackServer { Route("/", [.wait(gate), .status(200)]) }
    let client = try RawClient(to: server)
    try client.send("GET / HTTP/1.1\r\n\r\n")
    try await gate.waitForArrivals(count: 1)

    client.close()

    try await server.waitForDisconnects(count: 1)
    #expect(server.connections.map(\.ending) == [.aborted])
  }
}
