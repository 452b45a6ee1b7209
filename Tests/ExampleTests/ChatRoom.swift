// A chat: a socket that is opened again when it breaks, and misses nothing.
//
// What it shows: messages as values, a first message after each connection that resumes by the last
// number, a state for a user interface, and a server in the test that breaks the connection.

#if Curl && canImport(CResourceCurl)
  import Foundation
  import PromiseModule
  import ResourceLoading
  import ResourceTesting
  import Synchronization
  import TestSupport
  import Testing

  private struct Line: Codable, Sendable, Equatable {
    let number: Int
    let text: String
  }

  /// What a chat tells its server: the number of the last line that it has.
  private struct Resume: Codable, Sendable {
    let after: Int
  }

  /// A room, as a screen would show it.
  private final class ChatRoom: Sendable {
    private let socket: WebSocket
    private let state = Mutex((last: 0, isConnected: false))

    init(_ name: String, on client: Client) { socket = client.socket(.get("/rooms/\(name)")) }

    var isConnected: Bool { state.withLock { $0.isConnected } }

    /// The lines from now on, each once, however often the connection breaks.
    func follow(_ show: (Line) -> Void) async throws {
      let lines = socket.values(
        of: Line.self, reconnecting: RetryPolicy(maximumAttempts: 3, backoff: .none),
        onConnect: { [self] connection in
          try await connection.send(json: Resume(after: state.withLock { $0.last }))
        },
        onPhase: { [self] phase in state.withLock { $0.isConnected = phase == .open } })
      for try await line in lines {
        state.withLock { $0.last = line.number }
        show(line)
      }
    }
  }

  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct ChatRoomTests {
    @Test func `a room misses no line and shows none twice when its connection breaks`()
      async throws
    {
      let lines = (1...9).map { Line(number: $0, text: "line \($0)") }
      let server = try LoopbackServer {
        LoopbackRoute("GET /rooms/swift") { request in
          .socket { socket in
            guard case .text(let text)? = try socket.receive() else { return }
            let resume = try JSONDecoder().decode(Resume.self, from: Data(text.utf8))
            let rest = lines.drop { $0.number <= resume.after }
            for line in rest.prefix(3) {
              let json = try JSONEncoder().encode(line)
              try socket.send(.text(String(decoding: json, as: UTF8.self)))
            }
            // Two connections break without a word.
            guard request.connection > 2 else { return }
            try socket.close()
            _ = try socket.receive()
          }
        }
      }
      defer { server.stop() }
      let room = ChatRoom("swift", on: Client(baseURL: server.url()))
      var shown: [Line] = []

      try await room.follow { shown.append($0) }

      #expect(shown == lines)
      #expect(!room.isConnected)
    }
  }
#endif
