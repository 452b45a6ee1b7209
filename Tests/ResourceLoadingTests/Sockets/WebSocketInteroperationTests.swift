#if Curl && canImport(CResourceCurl)
  import Foundation
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  /// Sockets to a server that isn't ours: that of Python's `websockets`, where it is installed.
  @Suite(
    .inTurn, .timeLimit(.minutes(15)),
    .enabled("Python has no websockets module") { await PythonServer.has("websockets") }
  )
  struct WebSocketInteroperationTests {
    private static let echo = """
      import asyncio, websockets
      async def echo(socket):
          try:
              async for message in socket: await socket.send(message)
          except websockets.ConnectionClosed: pass
      async def serve():
          async with websockets.serve(echo, "127.0.0.1", 0) as server:
              print(server.sockets[0].getsockname()[1], flush=True)
              await asyncio.Future()
      asyncio.run(serve())
      """

    @Test(arguments: [false, true])
    func `random messages come back as they were sent`(compresses: Bool) async throws {
      let server = try await PythonServer(Self.echo)
      defer { server.stop() }
      let socket = Client().socket(.get(server.url)) { $0.compresses = compresses }
      var random = SeededGenerator(seed: compresses ? 1 : 2)

      try await socket.withConnection { connection in
        #expect(
          (connection.headers["Sec-WebSocket-Extensions"] != nil) == compresses)
        for _ in 0..<100 {
          let message = WebSocket.Message.random(using: &random)
          try await connection.send(message)
          #expect(try await connection.messages.first { _ in true } == message)
        }
        try await connection.ping()
      }
    }

    @Test func `many sockets of one client don't disturb each other`() async throws {
      let server = try await PythonServer(Self.echo)
      defer { server.stop() }
      let (client, url) = (Client(), server.url)

      try await withThrowingTaskGroup { group in
        for number in 0..<30 {
          group.addTask {
            try await client.socket(.get(url)).withConnection { connection in
              for count in 0..<10 {
                let message = WebSocket.Message.text("\(number) \(count)")
                try await connection.send(message)
                let answer = try await connection.messages.first { _ in true }
                #expect(answer == message)
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }

    @Test func `a server that is killed ends its sockets with an error`() async throws {
      let server = try await PythonServer(Self.echo)
      let connection = try await Client().socket(.get(server.url)).connect()
      try await connection.send("hello")
      #expect(try await connection.messages.first { _ in true } == "hello")

      server.stop()

      let error = await #expect(throws: LoadError.self) {
        for try await _ in connection.messages {}
      }
      #expect(error?.kind == .connection)
      await #expect(throws: LoadError.self) { try await connection.send("late") }
    }
  }

  extension WebSocket.Message {
    fileprivate static func random(using random: inout SeededGenerator) -> WebSocket.Message {
      let size = Int.random(in: 0...4, using: &random) == 0 ? 70_000 : 300
      let count = Int.random(in: 0...size, using: &random)
      guard Bool.random(using: &random) else {
        return .binary(Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }))
      }
      let characters: [Character] = ["a", " ", "é", "漢", "🎈"]
      return .text(
        String((0..<count).map { _ in characters[Int.random(in: 0..<5, using: &random)] }))
    }
  }
#endif
