import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct StreamTests {
  private struct Item: Codable, Sendable, Equatable { var n: Int }

  private static let head =
    "HTTP/1.1 200 OK\r\nX-Kind: stream\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test(arguments: Engine.allCases)
  func `lines are read while the server still writes`(_ engine: Engine) async throws {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [.bytes(Self.head), .chunk("one\ntw"), .wait(gate), .chunk("o\nthree"), .lastChunk()]
      }
    }
    defer { server.stop() }

    let stream = try await Client(engine, baseURL: server.url()).stream(.get("/"))
    var lines = stream.lines.makeAsyncIterator()
    let first = try await lines.next()
    gate.open()
    let others = [try await lines.next(), try await lines.next(), try await lines.next()]

    #expect(stream.status == 200)
    #expect(stream.headers["X-Kind"] == "stream")
    #expect(first == "one")
    #expect(others == ["two", "three", nil])
  }

  @Test(arguments: Engine.allCases)
  func `a byte order mark isn't part of the first line`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*", .response(body: "\u{FEFF}one\n\u{FEFF}two"))
    }
    defer { server.stop() }

    let stream = try await Client(engine, baseURL: server.url()).stream(.get("/"))
    var lines: [String] = []
    for try await line in stream.lines { lines.append(line) }

    #expect(lines == ["one", "\u{FEFF}two"])
  }

  @Test(arguments: Engine.allCases)
  func `values are decoded line by line`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        .response(body: "{\"n\": 1}\n\r\n  \n{\"n\": 2}\n{\"n\": \"x\"}\n{\"n\": 4}")
      }
    }
    defer { server.stop() }

    let stream = try await Client(engine, baseURL: server.url()).stream(.get("/"))
    var values: [Item] = []
    let error = await #expect(throws: LoadError.self) {
      for try await value in stream.values(of: Item.self) { values.append(value) }
    }

    #expect(values == [Item(n: 1), Item(n: 2)])
    #expect(error?.kind == .parsing)
    #expect(error?.parsing?.line == 5)
    #expect(error?.parsing?.path == "n")
    #expect(error?.curlCommand?.contains(":\(server.port)/") == true)
  }

  @Test func `values are decoded by the client's decoder`() async throws {
    struct Note: Decodable, Sendable { var firstLine: String }
    let transport = StubTransport()
    transport.stub("*", .response(body: Data("{\"first_line\": \"Hello\"}\n".utf8)))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
      $0.decoder = decoder
    }

    var lines: [String] = []
    for try await note in try await client.stream(.get("/")).values(of: Note.self) {
      lines.append(note.firstLine)
    }

    #expect(lines == ["Hello"])
  }

  @Test(arguments: Engine.allCases)
  func `a status that isn't accepted is an error with its body`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in .json(#"{"message": "no"}"#, status: 403) }
    }
    defer { server.stop() }

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine, baseURL: server.url()).stream(.get("/"))
    }

    #expect(error?.kind == .status)
    #expect(error?.serverMessage == "no")
  }

  @Test(arguments: Engine.allCases)
  func `a broken stream delivers what arrived and then the error`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), .close]
      }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [RetryMiddleware(.init(backoff: .none))]
    }

    let stream = try await client.stream(.get("/"))
    var bytes = Data()
    let error = await #expect(throws: LoadError.self) {
      for try await chunk in stream { bytes += chunk }
    }

    #expect(bytes == Data("abc".utf8))
    #expect(error?.kind == .connection)
    // The reader already has a part, so there is no retry.
    #expect(server.requests.count == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a stream that fails before its first byte is retried`(_ engine: Engine) async throws {
    let count = Atomic(0)
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        count.add(1, ordering: .relaxed).newValue == 1 ? .status(503) : .response(body: "ok")
      }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [RetryMiddleware(.init(backoff: .none))]
    }

    var lines: [String] = []
    for try await line in try await client.stream(.get("/")).lines { lines.append(line) }

    #expect(lines == ["ok"])
  }

  @Test(arguments: Engine.allCases)
  func `leaving the loop cancels the load`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in [.bytes(Self.head), .chunk("one\n"), .silence] }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())

    for try await line in try await client.stream(.get("/")).lines {
      #expect(line == "one")
      break
    }

    try await server.waitForDisconnects(count: 1)
  }

  @Test(arguments: Engine.allCases)
  func `cancelling the reading task cancels the load`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in [.bytes(Self.head), .chunk("one\n"), .silence] }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())
    let hasRead = Gate()

    let task = Task {
      for try await _ in try await client.stream(.get("/")).lines { hasRead.open() }
    }
    try await hasRead.opened()
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    try await server.waitForDisconnects(count: 1)
  }

  @Test(arguments: Engine.allCases)
  func `closing the client ends the stream with an error`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in [.bytes(Self.head), .chunk("one\n"), .silence] }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())
    var lines = try await client.stream(.get("/")).lines.makeAsyncIterator()
    _ = try await lines.next()

    client.close()

    do {
      _ = try await lines.next()
      Issue.record("the stream goes on")
    } catch {
      #expect((error as? LoadError)?.kind == .closed)
    }
  }

  @Test(arguments: Engine.allCases)
  func `a slow reader gets every byte`(_ engine: Engine) async throws {
    let content = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 >> 4) })
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: content) } }
    defer { server.stop() }

    var read = Data()
    for try await chunk in try await Client(engine).stream(Request(url: server.url())) {
      if read.count < 100_000 { try await Task.sleep(for: .milliseconds(5)) }
      read += chunk
    }

    #expect(read == content)
  }
}
