import Foundation
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct LoopbackServerStopTests {
  @Test func `stopping refuses new connections and ends existing ones`() throws {
    let server = try LoopbackServer { LoopbackRoute("/", .silence) }
    let client = try RawClient(to: server)
    try client.send("GET / HTTP/1.1\r\n\r\n")

    server.stop()

    _ = try? client.receiveToEnd()
    let failure = #expect(throws: RawClient.Failure.self) { try RawClient(to: server) }
    #expect(failure?.isRefused == true)
    #expect(server.statistics.open == 0)
    #expect(server.statistics.aborts == 0)
  }

  @Test func `stopping repeatedly and concurrently has no further effect`() async throws {
    let server = try LoopbackServer()

    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { server.stop() } }
    }

    server.stop()
  }

  @Test(arguments: [
    Script.silence, .delay(.seconds(600)), .wait(Gate()), .repeatForever("more"),
    .drip("slow", every: .seconds(600)), .halfClose, [.halfClose, .silence],
  ])
  func `stopping ends every step that takes time`(step: Script) async throws {
    let server = try LoopbackServer { LoopbackRoute("/", step) }
    let clients = try (0..<4).map { _ in try RawClient(to: server) }
    for client in clients { try client.send("GET / HTTP/1.1\r\n\r\n") }
    try await server.waitForRequests(count: clients.count)

    server.stop()

    #expect(server.connections.map(\.termination) == .init(repeating: .byServer, count: 4))
  }

  @Test func `stopping ends reads of heads and bodies`() async throws {
    let server = try LoopbackServer { LoopbackRoute("/", .status(200)) }
    let clients = try ["", "GET / HT", "PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"].map {
      let client = try RawClient(to: server)
      try client.send($0)
      return client
    }
    try await server.wait { $0.accepted == 3 && $0.inFlight == 1 }

    server.stop()

    #expect(server.connections.map(\.termination) == [.byServer, .byServer, .byServer])
    withExtendedLifetime(clients) {}
  }

  @Test func `a handler can stop its own server`() async throws {
    let server = try LoopbackServer()
    server.add {
      LoopbackRoute("/") { _ in
        server.stop()
        return .bytes("never arrives")
      }
    }
    let clients = try (0..<3).map { _ in try RawClient(to: server) }
    // The first request stops the server, perhaps before the others have been sent.
    for client in clients { try? client.send("GET / HTTP/1.1\r\n\r\n") }

    for client in clients { #expect(((try? client.receiveToEnd()) ?? "") == "") }
    server.stop()

    #expect(server.statistics.open == 0)
  }

  @Test func `a server without references stops`() throws {
    var server: LoopbackServer? = try LoopbackServer { LoopbackRoute("/", .silence) }
    let client = try RawClient(to: try #require(server))
    try client.send("GET / HTTP/1.1\r\n\r\n")

    server = nil

    _ = try? client.receiveToEnd()
  }

  @Test func `servers leave no descriptors or threads behind`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.endsProcess()
      func useServers(_ count: Int) async throws {
        for _ in 0..<count {
          let gate = Gate()
          let server = try LoopbackServer {
            LoopbackRoute("/", .status(200))
            LoopbackRoute("/gate", [.wait(gate), .status(200)])
          }
          let clients = try (0..<8).map { _ in try RawClient(to: server) }
          for client in clients {
            try client.send("GET / HTTP/1.1\r\n\r\nGET /gate HTTP/1.1\r\n\r\n")
          }
          try await gate.waitForArrivals(count: 8)
          server.stop()
        }
      }
      try await useServers(2)
      let (descriptors, threads) = (ProcessFigures.descriptors, ProcessFigures.threads)

      try await useServers(50)

      #expect(ProcessFigures.descriptors <= descriptors)
      // A thread is counted until a moment after its work has ended.
      while ProcessFigures.threads > threads { await Task.yield() }
    }
  }

  @Test func `a server serves two thousand connections at once`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.endsProcess()
      ProcessFigures.raiseDescriptorLimit()
      let gate = Gate()
      let server = try LoopbackServer { LoopbackRoute("*") { [.wait(gate), .bytes($0.target)] } }
      let clients = try (0..<2000).map { number in
        let client = try RawClient(to: server)
        try client.send("GET /\(number) HTTP/1.1\r\nConnection: close\r\n\r\n")
        return client
      }
      try await server.wait { $0.inFlight == 2000 }

      gate.open()

      let answers = try clients.map { try $0.receiveToEnd() }
      #expect(answers == (0..<2000).map { "/\($0)" })
      #expect(server.statistics.peakOpen == 2000)
      server.stop()
    }
  }

  @Test func `without descriptors the server waits without using processor time`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.endsProcess()
      let gate = Gate()
      let server = try LoopbackServer {
        LoopbackRoute("/", .bytes("at last"))
        LoopbackRoute("/gate", [.wait(gate), .bytes("at last")])
      }
      var limit = 0
      let client = try RawClient(to: server) {
        // Below the numbers in use, so that closing a descriptor doesn't free one for the server.
        limit = ProcessFigures.limitDescriptors(to: 3)
      }
      try client.send("GET / HTTP/1.1\r\n\r\n")

      client.setTimeout(.milliseconds(500))
      let before = ProcessFigures.processorTime
      let failure = #expect(throws: RawClient.Failure.self) { try client.receiveSome() }
      let busy = ProcessFigures.processorTime - before
      client.setTimeout(.seconds(30))

      #expect(failure?.isTimeout == true)
      #expect(busy < .milliseconds(250))
      ProcessFigures.limitDescriptors(to: limit)
      #expect(try client.receive(through: "last") == "at last")

      try client.send("GET /gate HTTP/1.1\r\n\r\n")
      try await gate.waitForArrivals(count: 1)
      gate.open()
      #expect(try client.receive(through: "last") == "at last")
    }
  }

  @Test func `writing to a disconnected client raises no signal`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.endsProcess()
      let gate = Gate()
      let server = try LoopbackServer {
        LoopbackRoute(
          "/",
          [
            .bytes("a"),
            .proceed { _ in
              gate.blockUntilOpen()
              return .repeating("0123456789", count: 1_000_000)
            },
          ])
      }
      let client = try RawClient(to: server)
      try client.send("GET / HTTP/1.1\r\n\r\n")
      try await gate.waitForArrivals(count: 1)

      client.reset()
      gate.open()

      try await server.waitForDisconnects(count: 1)
      #expect(server.statistics.aborts == 1)
    }
  }
}
