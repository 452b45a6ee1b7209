import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ServerSentEventsTests {
  private func server(_ answers: [Script]) throws -> LoopbackServer {
    let rest = Mutex(answers)
    return try LoopbackServer {
      LoopbackRoute("*") { _ in
        rest.withLock { $0.isEmpty ? .status(204) : $0.removeFirst() }
      }
    }
  }

  private func stream(_ text: String) -> Script {
    .response(headers: ["Content-Type": "text/event-stream; charset=utf-8"], body: text)
  }

  @Test(arguments: Engine.allCases)
  func `a stream that ends is reopened with the last event's identifier`(_ engine: Engine)
    async throws
  {
    let server = try server([
      stream("retry: 1\nid: 7\ndata: one\n\n"), stream("data: two\n\ndata: lost"),
    ])
    defer { server.stop() }

    var events: [ServerSentEvent] = []
    for try await event in Client(engine, baseURL: server.url()).events(of: .get("/")) {
      events.append(event)
    }

    #expect(events.map(\.data) == ["one", "two"])
    #expect(events.map(\.lastEventID) == ["7", "7"])
    #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "7", "7"])
    #expect(server.requests.first?.header("Accept") == "text/event-stream")
    #expect(server.requests.first?.header("Cache-Control") == "no-store")
  }

  @Test(arguments: Engine.allCases)
  func `the first byte order mark isn't part of a stream, but a second one is`(_ engine: Engine)
    async throws
  {
    let mark = "\u{FEFF}"
    let server = try server([
      stream("retry: 1\n\n"), stream(mark + "data: one\n\n"),
      stream(mark + mark + "data: two\n\ndata: three\n\n"),
    ])
    defer { server.stop() }

    var data: [String] = []
    for try await event in Client(engine, baseURL: server.url()).events(of: .get("/")) {
      data.append(event.data)
    }

    #expect(data == ["one", "three"])
  }

  private func countEvents(of client: Client) -> Task<Int, any Error> {
    Task {
      var count = 0
      for try await _ in client.events(of: .get("/")) { count += 1 }
      return count
    }
  }

  private func firstTwoWaits(on clock: ManualClock) async throws -> [Duration] {
    var waits: [Duration] = []
    for _ in 1...2 {
      try await clock.waitForSleepers(count: 1, within: .seconds(30))  // not the idle timeout
      waits.append(try #require(clock.advanceToNextDeadline()))
    }
    return waits
  }

  @Test(arguments: Engine.allCases)
  func `the delay before reopening is the server's, by default three seconds`(_ engine: Engine)
    async throws
  {
    let server = try server([stream("data: one\n\n"), stream("retry: 250\ndata: two\n\n")])
    defer { server.stop() }
    let clock = ManualClock()
    let client = Client(engine, baseURL: server.url()) { $0.clock = clock }

    let task = countEvents(of: client)
    let waits = try await firstTwoWaits(on: clock)

    #expect(try await task.value == 2)
    #expect(waits == [.seconds(3), .milliseconds(250)])
  }

  @Test(arguments: Engine.allCases)
  func `reopening pauses if the server wants no pause but sends nothing`(_ engine: Engine)
    async throws
  {
    let server = try server([
      stream("retry: 0\ndata: one\n\n"), stream(""), stream(": nothing\n\n"),
      stream("data: two\n\n"), stream("data: three\nretry: 99999999999999999\n\n"),
    ])
    defer { server.stop() }
    let clock = ManualClock()
    let client = Client(engine, baseURL: server.url()) { $0.clock = clock }

    let task = countEvents(of: client)
    var waits = try await firstTwoWaits(on: clock)
    while clock.nextDeadline?.offset != .seconds(86_400) + .milliseconds(300) { await Task.yield() }
    waits.append(try #require(clock.advanceToNextDeadline()))

    #expect(try await task.value == 3)
    #expect(waits == [.milliseconds(100), .milliseconds(200), .seconds(86_400)])
  }

  @Test(arguments: Engine.allCases)
  func `another status or media type is an error`(_ engine: Engine) async throws {
    let server = try server([.status(500), .json("{}")])
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())

    let first = await #expect(throws: LoadError.self) {
      for try await _ in client.events(of: .get("/")) {}
    }
    let second = await #expect(throws: LoadError.self) {
      for try await _ in client.events(of: .get("/")) {}
    }

    #expect(first?.kind == .status)
    #expect(second?.kind == .parsing)
  }

  @Test(arguments: Engine.allCases)
  func `a stream that breaks is reopened up to a limit`(_ engine: Engine) async throws {
    let broken: Script = [
      .bytes(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\nretry: 1\n"
      ),
      .close,
    ]
    let server = try server(Array(repeating: broken, count: 4))
    defer { server.stop() }

    let error = await #expect(throws: LoadError.self) {
      for try await _ in Client(engine, baseURL: server.url()).events(
        of: .get("/"), maximumFailures: 2)
      {}
    }

    #expect(error?.kind == .connection)
    #expect(server.requests.count == 3)
  }

  @Test func `the identifier follows a redirect to another origin`() async throws {
    let transport = StubTransport()
    let redirect = StubAnswer.response(
      status: 307, headers: [.location: "https://b.example/stream"])
    transport.stub("GET /events", redirect, redirect, .status(204))
    transport.stub(
      "GET /stream",
      .response(
        headers: [.contentType: "text/event-stream"],
        body: Data("retry: 1\nid: 7\ndata: one\n\n".utf8)))
    let client = Client(baseURL: "https://a.example") { $0.transport = transport }

    for try await _ in client.events(of: .get("/events")) {}

    #expect(
      transport.requests.map { "\($0.url.path()) \($0.headers["Last-Event-ID"] ?? "")" }
        == ["/events ", "/stream ", "/events 7", "/stream 7", "/events 7"])
  }
}
