#if Curl && os(Linux)
  import Foundation
  import PromiseModule
  import ResourceLoading
  import ResourceTesting
  import Synchronization
  import TestSupport
  import Testing

  /// Sockets that break, are cancelled, and lose their server, each in a process of its own, whose
  /// descriptors show what is left behind.
  @Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
  struct SocketStormTests {
    @Test func `what a server acknowledges is stored once and in order, whatever breaks`() async {
      await #expect(processExitsWith: .success) {
        Watchdog.endsProcess(after: 300)
        for seed in 0..<Storms.count(of: 1) {
          try await JournalStorm(seed: UInt64(seed)).run(writing: 1500)
        }
      }
    }

    @Test func `cancelled at any moment, sockets get the right echoes and leave nothing behind`()
      async
    {
      await #expect(processExitsWith: .success) {
        Watchdog.endsProcess(after: 300)
        try await CancellationStorm(seed: 38).run(sockets: Storms.count(of: 1000))
      }
    }
  }

  private enum Storms {
    /// The descriptors of what a process creates once, such as a timer of Dispatch for each clock.
    static let allowance = 4

    /// The number of repetitions, as many times the usual one as the environment asks for.
    static func count(of usual: Int) -> Int {
      let text = ProcessInfo.processInfo.environment["RESOURCE_LOADING_SOCKET_STORMS"]
      return usual * (text.flatMap { Int($0) } ?? 1)
    }
  }

  // MARK: - Acknowledged messages

  /// The numbers that a server has stored. It acknowledges each, and treats each connection in a way
  /// of its own.
  private final class Journal: Sendable {
    private struct State {
      var stored = 0
      var faults: [String] = []
      var connections = 0
      var random: SeededGenerator
    }

    private enum Fate: CaseIterable {
      case refused, closed, restarting, cut, silent
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

    var stored: Int { state.withLock { $0.stored } }
    var faults: [String] { state.withLock { $0.faults } }
    var connections: Int { state.withLock { $0.connections } }

    /// Stores a number unless it is stored already.
    ///
    /// - Parameter previous: The number that came before on the same connection.
    private func store(_ number: Int, after previous: Int?) {
      state.withLock { state in
        if let previous, number != previous + 1 {
          state.faults.append("\(number) comes after \(previous)")
        } else if number > state.stored {
          state.faults.append("\(number) comes although \(state.stored) are stored")
        } else if number == state.stored {
          state.stored += 1
        }
      }
    }

    /// What a connection meets.
    func script() -> Script {
      let (fate, life) = state.withLock { state in
        state.connections += 1
        return (
          Fate.allCases.randomElement(using: &state.random) ?? .closed,
          Int.random(in: 0..<60, using: &state.random)
        )
      }
      if fate == .refused { return .status(503, headers: ["Connection": "close"]) }
      return .socket { [self] socket in
        var previous: Int?
        for _ in 0..<life {
          guard case .text(let text)? = try socket.receive(), let number = Int(text) else { return }
          store(number, after: previous)
          previous = number
          try socket.send(.text("\(number)"))
        }
        try end(&socket, by: fate)
      }
    }

    private func end(_ socket: inout LoopbackSocket, by fate: Fate) throws {
      switch fate {
      // Closing a connection with unread bytes resets it.
      case .refused, .closed: break
      case .restarting: try socket.close(.serviceRestart)
      case .cut: try socket.send(bytes: [0x81, 0x05, 0x31])
      case .silent: while true { _ = try socket.nextEvent() }
      }
    }
  }

  /// A client that hands in numbers, and hands in again what wasn't acknowledged when its socket
  /// broke.
  private final class JournalWriter: Sendable {
    private static let window = 8

    private let socket: WebSocket
    private let count: Int
    private let state = Mutex(State())

    private struct State {
      var acknowledged = 0
      var connection: WebSocket.Connection?
    }

    init(_ socket: WebSocket, count: Int) { (self.socket, self.count) = (socket, count) }

    var acknowledged: Int { state.withLock { $0.acknowledged } }
    var isDone: Bool { acknowledged == count }

    /// Hands in numbers until all are acknowledged.
    func write() async throws {
      defer { state.withLock { $0.connection = nil } }
      let policy = RetryPolicy(
        maximumAttempts: 1000,
        backoff: Backoff(base: .milliseconds(1), factor: 1, maximum: .milliseconds(1)))
      let acknowledgements = socket.messages(
        reconnecting: policy, onConnect: { [self] in begin(over: $0) })
      for try await message in acknowledgements {
        try take(message)
        if isDone { return }
      }
      throw Broken("the messages end")
    }

    private func begin(over connection: WebSocket.Connection) {
      let first = state.withLock { state in
        state.connection = connection
        return state.acknowledged
      }
      for number in first..<min(count, first + Self.window) {
        connection.promise(sending: .text("\(number)"))
      }
    }

    private func take(_ message: WebSocket.Message) throws {
      let (expected, connection) = state.withLock { state in
        state.acknowledged += 1
        return (state.acknowledged - 1, state.connection)
      }
      guard message == .text("\(expected)") else {
        throw Broken("\(message) is acknowledged, not \(expected)")
      }
      let next = expected + Self.window
      if next < count { connection?.promise(sending: .text("\(next)")) }
    }
  }

  private struct JournalStorm {
    let seed: UInt64

    func run(writing count: Int) async throws {
      let journal = Journal(seed: seed)
      let server = try makeServer(journal)
      let client = Client(baseURL: server.url())
      let socket = client.socket(.get("/journal")) {
        $0.pingInterval = .milliseconds(50)
        $0.closeTimeout = .milliseconds(50)
      }
      try await client.load(.void(.get("/plain")))
      let most = ProcessCensus.now.descriptors + Storms.allowance
      let writer = JournalWriter(socket, count: count)
      let kills = Task { try await kill(server, journal) { writer.isDone } }

      try await write(writer)
      try await kills.value.stop()

      let (faults, stored, connections) = (journal.faults, journal.stored, journal.connections)
      guard faults.isEmpty else { throw Broken("seed \(seed): \(faults.prefix(5))") }
      guard stored == count else { throw Broken("\(stored) of \(count) are stored") }
      guard connections > 20 else { throw Broken("only \(connections) connections") }
      let after = try await ProcessCensus.settled(at: most).descriptors
      guard after <= most else { throw Broken("\(after) descriptors, not \(most)") }
    }

    /// Writes in tasks that are cancelled, each after some time.
    private func write(_ writer: JournalWriter) async throws {
      var random = SeededGenerator(seed: seed &+ 1)
      while !writer.isDone {
        let task = Task { try await writer.write() }
        let pause = Duration.milliseconds(Int.random(in: 0..<200, using: &random))
        let life = Task {
          try await Task.sleep(for: pause)
          task.cancel()
        }
        do { try await task.value } catch is CancellationError {}
        life.cancel()
      }
    }

    /// Stops the server and starts another on its port, again and again.
    ///
    /// - Returns: The last server.
    private func kill(
      _ first: LoopbackServer, _ journal: Journal, until isDone: @Sendable () -> Bool
    ) async throws -> LoopbackServer {
      var (server, random) = (first, SeededGenerator(seed: seed &+ 2))
      while !isDone() {
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<150, using: &random)))
        server.stop()
        server = try makeServer(journal, port: UInt16(server.port))
      }
      return server
    }

    private func makeServer(_ journal: Journal, port: UInt16 = 0) throws -> LoopbackServer {
      var configuration = LoopbackServer.Configuration()
      configuration.port = port
      return try LoopbackServer(configuration) {
        LoopbackRoute("GET /plain") { _ in .response(body: "ok") }
        LoopbackRoute("GET /journal") { _ in journal.script() }
      }
    }
  }

  // MARK: - Cancelling

  private struct CancellationStorm {
    let seed: UInt64

    func run(sockets count: Int) async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /plain", .response(body: "ok"))
        LoopbackRoute("GET /echo") { _ in
          .socket { socket in
            while let message = try socket.receive() { try socket.send(message) }
          }
        }
      }
      let client = Client(baseURL: server.url()) { $0.maximumRequestsPerHost = nil }
      let socket = client.socket(.get("/echo")) { $0.closeTimeout = .milliseconds(100) }
      try await client.load(.void(.get("/plain")))
      let most = ProcessCensus.now.descriptors + Storms.allowance

      try await withThrowingTaskGroup { group in
        for lane in 0..<8 {
          group.addTask {
            var random = SeededGenerator(seed: seed &+ UInt64(lane))
            for number in stride(from: lane, to: count, by: 8) {
              try await cancel(number, socket, after: Int.random(in: 0...800, using: &random))
            }
          }
        }
        try await group.waitForAll()
      }

      try await socket.withConnection { try await $0.ping() }
      let after = try await ProcessCensus.settled(at: most).descriptors
      guard after <= most else { throw Broken("\(after) descriptors, not \(most)") }
      server.stop()
    }

    private func cancel(_ number: Int, _ socket: WebSocket, after yields: Int) async throws {
      let task = Task { try await talk(number, over: socket) }
      for _ in 0..<yields { await Task.yield() }
      task.cancel()
      do { try await task.value } catch is CancellationError {}
    }

    /// Twenty echoes, each of which is the right one.
    private func talk(_ number: Int, over socket: WebSocket) async throws {
      try await socket.withConnection { connection in
        var messages = connection.messages.makeAsyncIterator()
        for count in 0..<20 {
          let text = WebSocket.Message.text("\(number) \(count)")
          try await connection.send(text)
          let answer = try await messages.next()
          guard answer == text else { throw Broken("\(String(describing: answer)), not \(text)") }
        }
      }
    }
  }
#endif
