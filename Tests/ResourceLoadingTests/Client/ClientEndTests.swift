import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ClientEndTests {
  @Test(arguments: Form.allCases, Engine.allCases)
  func `closing a client ends its loads with an error`(_ form: Form, _ engine: Engine) async throws
  {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .silence } }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())

    async let results = withTaskGroup { group in
      for _ in 0..<5 { group.addTask { await form.load(.void(.get("/")), with: client) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    _ = try await server.waitForRequests(count: 5)
    client.close()
    let kinds = await results.map { ($0.failure as? LoadError)?.kind }
    let late = await form.load(.void(.get("/")), with: client)

    #expect(kinds == Array(repeating: .closed, count: 5))
    #expect((late.failure as? LoadError)?.kind == .closed)
    try await server.waitForDisconnects(count: 5)
    #expect(server.requests.count == 5)
  }

  @Test func `closing also ends a load that waits in a middleware`() async throws {
    struct Waiting: Middleware {
      let gate = Gate()
      func respond(to request: Request, next: Next) async throws -> Response {
        try await gate.opened()
        return try await next(request)
      }
    }
    let waiting = Waiting()
    let client = Client { $0.middleware = [waiting] }

    async let result = Form.await.load(
      .void(URL(string: "http://127.0.0.1:9/")!), with: client)
    try await waiting.gate.waitForArrivals(count: 1)
    client.close()

    #expect((await result.failure as? LoadError)?.kind == .closed)
  }

  @Test func `the total timeout covers the time in middleware`() async throws {
    struct Waiting: Middleware {
      func respond(to request: Request, next: Next) async throws -> Response {
        try await next.sleep(for: .seconds(3600))
        return try await next(request)
      }
    }
    let clock = ManualClock()
    let client = Client {
      $0.middleware = [Waiting()]
      $0.options.timeout = .seconds(10)
      $0.clock = clock
    }

    async let result = Form.await.load(.void(URL(string: "http://127.0.0.1:9/")!), with: client)
    try await clock.waitForSleepers(count: 2)
    clock.advance(by: .seconds(10))

    let error = await result.failure as? LoadError
    #expect(error?.kind == .timedOut)
    #expect(error?.reason.contains("10.0 seconds") == true)
  }

  @Test(arguments: Engine.allCases)
  func `a released client closes its connections`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }

    do {
      let client = Client(engine, baseURL: server.url())
      try await client.load(.void(.get("/")))
    }

    try await server.waitForDisconnects(count: 1)
  }

  @Test(arguments: Engine.allCases)
  func `a promise keeps its client until the load is done`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in [.delay(.milliseconds(20)), .response(body: "ok")] }
    }
    defer { server.stop() }

    let text = try await Client(engine, baseURL: server.url()).promise(
      for: Resource.text(.get("/"))
    ).get()

    #expect(text == "ok")
  }

  @Test(arguments: Form.allCases, Engine.allCases)
  func `cancelling ends the load and its request`(_ form: Form, _ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .silence } }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())

    let load = CancellableLoad(form, .void(.get("/")), with: client)
    _ = try await server.waitForRequests(count: 1)
    load.cancel()

    #expect(await load.result.failure is CancellationError)
    try await server.waitForDisconnects(count: 1)
  }
}
