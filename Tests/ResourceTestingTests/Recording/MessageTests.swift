import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// The messages of WebSockets in recordings.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct MessageTests {
  private let folder: TemporaryFolder
  private let stub = StubTransport()
  private let clock = ManualClock()

  init() throws { folder = try TemporaryFolder() }

  private var file: URL { folder.url.appending(path: "socket.har") }

  private func client(over transport: any Transport) -> Client {
    Client(baseURL: URL(string: "https://api.example.org")) { $0.transport = transport }
  }

  /// Sends a message, and returns all that come.
  private func talk(_ client: Client, _ text: String) async throws -> [WebSocket.Message] {
    try await client.socket(.get("/live")).withConnection { connection in
      try await connection.send(.text(text))
      return try await connection.messages.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `messages are recorded without secrets, and played`() async throws {
    stub.stub(
      "/live",
      .socket(
        .receive, .send(#"{"token": "5ecre7-0f-the-server"}"#), .send(.binary(Data([0, 1, 2]))),
        .close()))
    let recorder = RecordingTransport(to: file, over: stub, clock: clock)

    let received = try await talk(client(over: recorder), #"{"password": "5ecre7-0f-mine"}"#)
    try await recorder.save()

    #expect(received.count == 2)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("5ecre7"))
    let archive = try HTTPArchive(contentsOf: file)
    let entry = try #require(archive.entries.first)
    let kept = recorder.archive.entries.first?.messages ?? []
    #expect(kept.map(\.content) == entry.messages.map(\.content))
    #expect(entry.response.status == 101 && entry.failure == nil)
    #expect(entry.messages.map(\.isSent) == [true, false, false])
    #expect(entry.messages.allSatisfy { $0.date != nil })
    #expect(entry.messages.last?.content == .binary(Data([0, 1, 2])))
    guard case .text(let sent)? = entry.messages.first?.content else {
      Issue.record("there is no text")
      return
    }
    #expect(sent.hasPrefix(#"{"password": "redacted-"#))
    #expect(archive.randomTexts.isEmpty)

    let played = try await talk(client(over: PlaybackTransport(archive)), "other words")
    #expect(played == entry.messages.dropFirst().map(\.content))
  }

  @Test func `what Chrome has written is read, and written again`() throws {
    let messages = """
      [{"type": "send", "time": 1508764125.123456, "opcode": 1, "data": "hello"},
       {"type": "receive", "time": 1508764126, "opcode": 2, "data": "AAEC"},
       {"type": "receive", "opcode": 1, "data": "without a time"},
       {"type": "receive", "time": 1, "opcode": 2, "data": "no base64!"}, {"type": 7}, null]
      """
    let text = """
      {"log": {"entries": [{"_resourceType": "websocket", "_webSocketMessages": \(messages),
        "request": {"method": "GET", "url": "wss://example.org/live"},
        "response": {"status": 101}}]}}
      """

    let archive = try JSONDecoder().decode(HTTPArchive.self, from: Data(text.utf8))

    let date = Date(timeIntervalSince1970: 1_508_764_126)
    let all = try #require(archive.entries.first?.messages)
    #expect(all.map(\.content) == ["hello", .binary(Data([0, 1, 2])), "without a time"])
    #expect(all.map(\.isSent) == [true, false, false])
    #expect(all.map(\.date).dropFirst() == [date, nil])
    let again = try JSONDecoder().decode(
      HTTPArchive.self, from: try JSONEncoder().encode(archive))
    #expect(again.entries.map(\.messages) == archive.entries.map(\.messages))
  }

  @Test func `messages beyond the limit are left out, and the entry says so`() async throws {
    stub.stub("/live", .socket(.send("123456"), .send("123456"), .receive, .close()))
    var limits = RecordingTransport.Limits()
    limits.maximumBodySize = 10
    let recorder = RecordingTransport(to: file, over: stub, limits: limits, clock: clock)

    let received = try await talk(client(over: recorder), "a longer message")

    #expect(received == ["123456", "123456"])
    let entry = try #require(recorder.archive.entries.first)
    #expect(entry.messages.map(\.content) == ["123456"])
    #expect(entry.comment == "Only the first 1 messages were kept.")
  }

  @Test func `a connection that was dropped is dropped again`() async throws {
    stub.stub("/live", .socket(.send("one"), .receive, .drop))
    let recorder = RecordingTransport(to: file, over: stub, clock: clock)
    _ = try? await talk(client(over: recorder), "hello")

    let error = await #expect(throws: LoadError.self) {
      try await talk(client(over: PlaybackTransport(recorder.archive)), "hello")
    }

    #expect(error?.kind == .connection)
  }

  #if Curl && canImport(CResourceCurl)
    @Test func `compressed messages are recorded as they were before`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /live") { _ in
          .socket(compresses: true) { socket in
            if let message = try socket.receive() { try socket.send(message) }
            try socket.close()
            _ = try socket.receive()
          }
        }
      }
      defer { server.stop() }
      let recorder = RecordingTransport(to: file, clock: clock)
      let text = String(repeating: "again and ", count: 20)
      let socket = Client(baseURL: server.url()) { $0.transport = recorder }
        .socket(.get("/live")) { $0.compresses = true }

      try await socket.withConnection { connection in
        try await connection.send(.text(text))
        #expect(try await connection.messages.first { _ in true } == .text(text))
      }
      try await recorder.save()

      let messages = recorder.archive.entries.first?.messages ?? []
      #expect(messages.map(\.content) == [.text(text), .text(text)])
    }
  #endif
}
