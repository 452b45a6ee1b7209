#if Curl && canImport(CResourceCurl)
  import Foundation
  import PromiseModule
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// Connections that break at any byte.
  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct FlappingSocketTests {
    /// The handshake of a server, and three messages of a connection in four frames, with a ping.
    private static func bytes(_ request: ReceivedRequest) -> (head: [UInt8], frames: [[UInt8]]) {
      let key = request.header("Sec-WebSocket-Key") ?? ""
      let head =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Accept: \(WebSocketHandshake.acceptance(of: key))\r\n\r\n"
      var writer = WebSocketWriter(masks: false)
      let number = request.connection
      let divided =
        WebSocketFrame(.text, isFinal: false).bytes("\(number) ".utf8, mask: nil)
        + writer.control(.ping) + WebSocketFrame(.continuation).bytes("b".utf8, mask: nil)
      return (
        Array(head.utf8),
        [
          Array(writer.frame(.text("\(number) a"))), divided,
          Array(writer.frame(.text("\(number) c"))),
        ]
      )
    }

    @Test(arguments: [false, true])
    func `a connection that is cut at any byte is opened again, and no message comes twice`(
      isReset: Bool
    ) async throws {
      let policy = RetryPolicy(
        maximumAttempts: 3, backoff: Backoff(base: .zero, jitter: .none))
      var count = 0
      // Until the first connection was cut behind its last byte.
      while true {
        let cut = count
        let server = try LoopbackServer {
          LoopbackRoute("GET /live") { request in
            let (head, frames) = Self.bytes(request)
            let all = head + frames.joined()
            guard request.connection == 1 else {
              return [.bytes(all + [0x88, 0x02, 0x03, 0xE8]), .halfClose, .silence]
            }
            return [.bytes(all.prefix(cut)), isReset ? .reset : .close]
          }
        }
        let socket = Client(baseURL: server.url()).socket(.get("/live"))
        let received = try await socket.messages(reconnecting: policy)
          .reduce(into: [WebSocket.Message]()) { $0.append($1) }
        let request = try #require(server.requests.first)
        server.stop()

        let (head, frames) = Self.bytes(request)
        let whole = (0...3).last { head.count + frames.prefix($0).joined().count <= cut } ?? 0
        let first: [WebSocket.Message] = ["1 a", "1 b", "1 c"]
        let second: [WebSocket.Message] = ["2 a", "2 b", "2 c"]
        #expect(received.suffix(3) == second[...], "cut after \(cut) bytes")
        let before = Array(received.dropLast(3))
        // A reset may destroy what had arrived.
        #expect(
          isReset
            ? first.starts(with: before) && before.count <= whole
            : before == Array(first[..<whole]),
          "cut after \(cut) bytes: \(before)")
        if cut > head.count + frames.joined().count { break }
        count += 1
      }
      #expect(count > 140)
    }
  }
#endif
