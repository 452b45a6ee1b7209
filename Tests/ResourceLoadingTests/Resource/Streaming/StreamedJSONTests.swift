import Foundation
import ResourceJSON
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct StreamedJSONTests {
  private struct Item: Codable, Sendable, Equatable { var n: Int }
  private struct Answer: Decodable, Sendable, Equatable { var text: String? }

  private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  private func stub(_ body: String, _ type: String = "application/json") -> Client {
    let transport = StubTransport()
    transport.stub("*", .response(headers: [.contentType: type], body: Data(body.utf8)))
    return Client(baseURL: URL(string: "https://api.example.org")) { $0.transport = transport }
  }

  @Test(arguments: Engine.allCases)
  func `an element is delivered while the server still writes the next one`(_ engine: Engine)
    async throws
  {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [
          .bytes(Self.head), .chunk(#"{"count":2,"items":[{"n":1},{"n"#), .wait(gate),
          .chunk(#"":2}],"more":[]}"#), .lastChunk(),
        ]
      }
    }
    defer { server.stop() }

    let client = Client(engine, baseURL: server.url())
    var items = client.elements(of: Item.self, at: "items", in: .get("/")).makeAsyncIterator()
    let first = try await items.next()
    gate.open()
    let others = [try await items.next(), try await items.next()]

    #expect(first == Item(n: 1))
    #expect(others == [Item(n: 2), nil])
    #expect(server.requests.first?.values(of: "Accept") == ["application/json"])
  }

  @Test(arguments: Engine.allCases)
  func `leaving the loop over elements cancels the load`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in [.bytes(Self.head), .chunk(#"[{"n":1},"#), .silence] }
    }
    defer { server.stop() }

    for try await item in Client(engine, baseURL: server.url())
      .elements(of: Item.self, in: .get("/"))
    {
      #expect(item == Item(n: 1))
      break
    }

    try await server.waitForDisconnects(count: 1)
  }

  @Test(arguments: Engine.allCases)
  func `cancelling the task that reads elements cancels the load`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in [.bytes(Self.head), .chunk(#"[{"n":1},"#), .silence] }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())
    let hasRead = Gate()

    let task = Task {
      for try await _ in client.elements(of: Item.self, in: .get("/")) { hasRead.open() }
    }
    try await hasRead.opened()
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    try await server.waitForDisconnects(count: 1)
  }

  @Test(arguments: Engine.allCases)
  func `an endless array is read as long as its elements are consumed`(_ engine: Engine)
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [.bytes("HTTP/1.1 200 OK\r\n\r\n["), .repeatForever("{\"n\":7},\n")]
      }
    }
    defer { server.stop() }

    var count = 0
    for try await item in Client(engine, baseURL: server.url())
      .elements(of: Item.self, in: .get("/"))
    {
      #expect(item.n == 7)
      count += 1
      if count == 100_000 { break }
    }

    try await server.waitForDisconnects(count: 1)
  }

  @Test func `a wrong element is an error of the load, with its place in the whole body`()
    async throws
  {
    let lines = (0..<20_000).map { "{\"n\":\($0)}" }.joined(separator: ",\n")
    let client = stub("{\"items\":[\(lines),\n {\"n\":true}]}")

    var count = 0
    let error = try await #require(throws: LoadError.self) {
      for try await _ in client.elements(of: Item.self, at: "items", in: .get("/list")) {
        count += 1
      }
    }

    #expect(count == 20_000)
    #expect(error.kind == .parsing)
    #expect(error.parsing?.line == 20_001)
    #expect(error.parsing?.column == 7)
    #expect(error.parsing?.path == "items[20000].n")
    #expect(error.curlCommand?.contains("api.example.org/list") == true)
  }

  @Test(arguments: [
    ("<html></html>", "not JSON"), ("", "is empty"), (#"{"items":[{"n":1}"#, "isn't JSON"),
    (#"{"other":[]}"#, "is missing"), (#"{"items":3}"#, "another type"),
  ])
  func `a body that isn't such a document is an error`(
    body: String, reason: String
  )
    async throws
  {
    let error = try await #require(throws: LoadError.self) {
      for try await _ in stub(body).elements(of: Item.self, at: "items", in: .get("/")) {}
    }

    #expect(error.kind == .parsing)
    #expect(error.reason.contains(reason), "\(error.reason)")
  }

  @Test func `an element that is too large ends the elements`() async throws {
    let body = "[{\"n\":1},{\"n\":2,\"pad\":\"\(String(repeating: "x", count: 1_000))\"}]"
    var items: [Item] = []

    let error = try await #require(throws: LoadError.self) {
      for try await item in stub(body)
        .elements(of: Item.self, in: .get("/"), maximumElementSize: 100)
      {
        items.append(item)
      }
    }

    #expect(items == [Item(n: 1)])
    #expect(error.kind == .tooLarge)
    #expect(error.parsing?.column == 10)
  }

  @Test func `every loader has elements, in a sequence and as a value`() async throws {
    struct Plain: Loader {
      let client: Client
      func load<R>(_ resource: Resource<R>) async throws -> R { try await client.load(resource) }
    }
    let loader = Plain(client: stub(#"{"a.b":[{"n":1},{"n":2}]}"#))

    var items: [Item] = []
    for try await item in loader.elements(of: Item.self, at: #"a\.b"#, in: .get("/")) {
      items.append(item)
    }
    let value = try await loader.load(.elements(.get("/"), of: Item.self, at: "/a.b"))

    #expect(items == [Item(n: 1), Item(n: 2)])
    #expect(value == items)
  }

  @Test func `a sequence of records goes on`() async throws {
    let client = stub("\u{1E}{\"n\":1}\n\u{1E}{\"n\":2}\n", "application/json-seq")
    var items: [Item] = []

    for try await item in try await client.stream(.get("/"))
      .values(of: Item.self, in: .recordSeparated)
    {
      items.append(item)
    }

    #expect(items == [Item(n: 1), Item(n: 2)])
  }

  @Test(arguments: Engine.allCases)
  func `the value so far is delivered while the server still writes`(_ engine: Engine) async throws
  {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [
          .bytes(Self.head), .chunk(#"{"text":"Hel"#), .wait(gate), .chunk(#"lo"}"#), .lastChunk(),
        ]
      }
    }
    defer { server.stop() }

    let stream = try await Client(engine, baseURL: server.url()).stream(.get("/"))
    var answers = stream.partials(of: Answer.self).makeAsyncIterator()
    let first = try await answers.next()
    gate.open()
    let others = [try await answers.next(), try await answers.next()]

    #expect(first == .partial(Answer(text: "Hel")))
    #expect(others == [.whole(Answer(text: "Hello")), nil])
  }

  @Test func `the parts of a text in events are joined`() async throws {
    func event(_ text: String) throws -> String {
      let text = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
      return "data: {\"choices\":[{\"delta\":{\"content\":\(text)}}]}\n\n"
    }
    let events =
      try event("{\"te") + event("xt\":\"H") + ": nothing\n\n"
      + "data: {\"choices\":[{\"delta\":{\"role\":null}}]}\n\n"
      + event("i\\n😀") + event("\"}") + "data: [DONE]\n\n"
    let stream = try await stub(events, "text/event-stream").stream(.get("/"))
    var answers: [JSONPartial<Answer>] = []

    for try await answer in stream.events
      .partials(of: Answer.self, joining: "choices[0].delta.content")
    {
      answers.append(answer)
    }

    #expect(
      answers == [
        .partial(Answer()), .partial(Answer(text: "H")), .partial(Answer(text: "Hi\n😀")),
        .whole(Answer(text: "Hi\n😀")),
      ])
  }

  @Test func `a text in events that ends too early is an error`() async throws {
    let events = "data: {\"d\":\"{\\\"text\\\":\\\"H\"}\n\ndata: [DONE]\n\n"
    let stream = try await stub(events, "text/event-stream").stream(.get("/"))

    let error = try await #require(throws: LoadError.self) {
      for try await _ in stream.events.partials(of: Answer.self, joining: "d") {}
    }

    #expect(error.kind == .parsing)
    #expect(error.parsing?.column == 9)
  }
}
