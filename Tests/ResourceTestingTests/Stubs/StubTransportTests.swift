import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct StubTransportTests {
  private let transport = StubTransport()
  private let client: Client

  init() throws {
    let base = try #require(URL(string: "https://api.example.org/v1"))
    client = Client(baseURL: base) { [transport] in $0.transport = transport }
  }

  private func client(_ clock: ManualClock) throws -> Client {
    let base = try #require(URL(string: "https://api.example.org"))
    return Client(baseURL: base) { [transport] in
      ($0.transport, $0.clock) = (transport, clock)
    }
  }

  @Test func `responses are given in turn, and the last one is repeated`() async throws {
    transport.stub("GET /v1/users/1", .status(503), .status(503), .json("{}"))

    for _ in 0..<2 {
      let error = await #expect(throws: LoadError.self) {
        try await client.load(.void(.get("/users/1")))
      }
      #expect(error?.response?.status == 503)
    }
    for _ in 0..<2 { #expect(try await client.load(.text(.get("/users/1"))) == "{}") }

    #expect(transport.requests.map(\.url.absoluteString).count == 4)
  }

  @Test func `the most specific pattern answers`() async throws {
    transport.stub("*", .json("any"))
    transport.stub("/v1/users/1", .json("path"))
    transport.stub("POST /v1/users/1", .json("method"))
    transport.stub("PUT *", .json("any with the method"))

    #expect(try await client.load(.text(.get("/users/1"))) == "path")
    #expect(try await client.load(.text(.post("/users/1"))) == "method")
    #expect(try await client.load(.text(.get("/other"))) == "any")
    #expect(try await client.load(.text(.put("/other"))) == "any with the method")
  }

  @Test func `an answer can depend on the request`() async throws {
    transport.stub("*") { request in
      request.headers[.authorization] == "Bearer new" ? .json("in") : .status(401)
    }

    func load(_ credential: String) async throws -> String {
      let headers: Headers = [.authorization: credential]
      return try await client.load(.text(Request(.get, "/", headers: headers)))
    }
    let error = await #expect(throws: LoadError.self) { try await load("Bearer old") }
    let text = try await load("Bearer new")

    #expect(error?.kind == .authentication)
    #expect(text == "in")
  }

  @Test func `a stubbed LoadError is thrown unchanged, any other error as an underlying one`() async
  {
    struct Odd: Error {}
    transport.stub("*", .error(LoadError(.secureConnection, "expired")), .error(Odd()))

    let own = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }
    let other = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }

    #expect(own?.kind == .secureConnection)
    #expect(other?.kind == .connection)
    #expect(other?.underlying is Odd)
  }

  @Test func `a request that isn't stubbed and a stubbed value fail with clear errors`() async {
    let unknown = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }
    transport.stub("*", .value(7))
    let value = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }

    #expect(unknown?.reason == "the stub transport has no answer to GET /v1/: it has no patterns")
    #expect(value?.reason == "the stub for this request holds a Int, not a response")
  }

  @Test func `stubbed redirects are followed`() async throws {
    transport.stub("/v1/old", .response(status: 302, headers: [.location: "/v1/new"]))
    transport.stub("/v1/new", .json("moved"))

    #expect(try await client.load(.text(.get("/old"))) == "moved")
    #expect(transport.requests.map { $0.url.path() } == ["/v1/old", "/v1/new"])
  }

  @Test func `JSON has the headers of its stub, also another type`() async throws {
    let client = try client(ManualClock())
    transport.stub("/a", .json("1", headers: ["Retry-After": "5"]))
    transport.stub(
      "/b", .json("1", status: 201, headers: [.contentType: "application/hal+json"]))

    let plain = try await client.response(for: Resource.text(.get("/a"))).response
    let other = try await client.response(for: Resource.text(.get("/b"))).response

    #expect(plain.headers == ["Retry-After": "5", "Content-Type": "application/json"])
    #expect(other.headers == ["Content-Type": "application/hal+json"])
    #expect(other.status == 201)
  }

  @Test func `an answer without a delay leaves no time limit sleeping`() async throws {
    let clock = ManualClock()
    let client = try client(clock)
    transport.stub("*", .json("soon"))

    for _ in 0..<100 {
      let load = client.promise(for: Resource.text(.get("/")))
      #expect(clock.sleepers == 0)
      #expect(try await load.get() == "soon")
    }
  }

  @Test func `a delay begins to sleep before the time limits of its load`() async throws {
    let clock = ManualClock()
    let client = try client(clock)
    transport.stub("*", .json("late").delayed(by: .seconds(1), clock: clock))

    for _ in 0..<100 {
      let load = client.promise(for: Resource.text(.get("/")))
      try await clock.waitForSleepers(count: 1, within: .seconds(1))
      #expect(clock.advanceToNextDeadline() == .seconds(1))
      #expect(try await load.get() == "late")
    }
  }

  @Test func `the given clock measures a delay`() async throws {
    let clock = ManualClock()
    transport.stub("*", .json("late").delayed(by: .seconds(3_600), clock: clock))

    let task = Task { [client] in try await client.load(.text(.get("/"))) }
    try await clock.waitForSleepers(count: 1)
    #expect(transport.inFlight == 1)
    clock.advance(by: .seconds(3_600))

    #expect(try await task.value == "late")
    #expect(transport.inFlight == 0)
    #expect(transport.peakInFlight == 1)
  }

  @Test func `cancelling ends even the longest delay`() async throws {
    transport.stub("*", .json("never").delayed(by: .seconds(Int64.max)))

    let task = Task { [client] in try await client.load(.text(.get("/"))) }
    try await transport.waitForRequests(count: 1)
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a request that is never answered waits until it is cancelled`() async throws {
    transport.stub("*", .never)

    let task = Task { [client] in try await client.load(.text(.get("/"))) }
    try await transport.waitForRequests(count: 1)
    #expect(transport.cancellations.isEmpty)
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    let cancelled = try await transport.waitForCancellations(count: 1)
    #expect(cancelled.map { $0.url.path() } == ["/v1/"])
    #expect(transport.inFlight == 0)
  }

  @Test func `an answered request doesn't count as cancelled`() async throws {
    transport.stub("*", .json("ok"))

    for _ in 0..<100 {
      let task = Task { [client] in try? await client.load(.text(.get("/"))) }
      _ = await task.value
      task.cancel()
    }

    #expect(transport.cancellations.isEmpty)
    #expect(transport.requests.count == 100)
  }
}
