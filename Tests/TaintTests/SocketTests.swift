#if Curl && canImport(CResourceCurl)
  import Foundation
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct SocketTests {
    @Test func `a socket, its connection and its errors show no secret of the handshake`()
      async throws
    {
      let server = try LoopbackServer {
        LoopbackRoute("GET /live") { _ in
          .socket { socket in
            try socket.close(.policyViolation)
            _ = try socket.nextEvent()
          }
        }
      }
      defer { server.stop() }
      let secret = "5ecre7-0f-a-s0cket"
      var request = Request.get("/live").query(["token": secret])
      request.headers[.authorization] = "Bearer \(secret)"

      let socket = Client(baseURL: server.url()).socket(request)
      let connection = try await socket.connect()
      let end = await #expect(throws: LoadError.self) { try await connection.waitForEnd() }
      let refusal = await #expect(throws: LoadError.self) { try await connection.send("late") }

      #expect(server.requests.first?.target.contains(secret) == true)
      let outputs =
        Output.printed("the socket", socket) + Output.printed("the connection", connection)
        + Output.printed("the end", try #require(end))
        + Output.printed("the refusal", try #require(refusal))
      for output in outputs {
        let text = String(decoding: output.bytes, as: UTF8.self)
        #expect(!text.contains(secret), Comment(rawValue: output.name))
      }
    }
  }
#endif
