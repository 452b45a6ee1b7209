import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CancelAllTests {
  @Test(arguments: Form.allCases, Engine.allCases)
  func `running loads are cancelled, and the client stays in use`(
    _ form: Form, _ engine: Engine
  ) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /wait") { _ in .silence }
      LoopbackRoute("GET /") { _ in .response(body: "ok") }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())
    let waiting = [Resource.text(.get("/wait")), .text(.get("/wait"))]

    async let results = withTaskGroup { group in
      for resource in waiting { group.addTask { await form.load(resource, with: client) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    _ = try await server.waitForRequests(count: waiting.count)
    client.cancelAll()

    #expect(await results.allSatisfy { $0.failure is CancellationError })
    try await server.waitForDisconnects(count: waiting.count)
    #expect(try await form.load(.text(.get("/")), with: client).get() == "ok")
  }

  @Test func `a load that waits for its turn is cancelled and gives up its turn`() async throws {
    let service = StubbedService()
    service.transport.stub("/wait", .never)
    service.transport.stub("/", .json("1"))
    let client = try service.client(ConcurrencyLimitMiddleware(maximumRequests: 1))

    let loads = (0..<3).map { _ in client.promise(for: Resource.text(.get("/wait"))) }
    try await service.events.wait(for: 2, "queued")
    client.cancelAll()

    for load in loads { await #expect(throws: CancellationError.self) { try await load.get() } }
    #expect(try await client.load(.text(.get("/"))) == "1")
    #expect(service.transport.requests.count == 2)
  }

  @Test func `a load that waits for a retry isn't sent again`() async throws {
    let service = StubbedService()
    service.transport.stub("*", .status(503))
    let client = try service.client(RetryMiddleware())

    let load = client.promise(for: Resource.text(.get("/")))
    try await service.clock.waitForSleepers(count: 1, within: .seconds(30))
    client.cancelAll()

    await #expect(throws: CancellationError.self) { try await load.get() }
    service.clock.advance(by: .seconds(3600))
    #expect(service.transport.requests.count == 1)
  }

  @Test func `loads that share an exchange are cancelled, and so is the exchange`() async throws {
    let service = StubbedService()
    service.transport.stub("*", .never, .json("1"))
    let client = try service.client(CoalescingMiddleware())

    let loads = (0..<3).map { _ in client.promise(for: Resource.text(.get("/"))) }
    try await service.events.wait(for: 2, "coalesced")
    client.cancelAll()

    for load in loads { await #expect(throws: CancellationError.self) { try await load.get() } }
    try await service.transport.waitForCancellations(count: 1)
    #expect(try await client.load(.text(.get("/"))) == "1")
  }

  @Test func `a load that is cancelled as it begins sends nothing`() async throws {
    let service = StubbedService()
    service.transport.stub("*", .json("1"))
    let first = Interrupting()
    let client = try service.client(first, CoalescingMiddleware())
    first.call { client.cancelAll() }

    await #expect(throws: CancellationError.self) { try await client.load(.text(.get("/"))) }
    #expect(service.transport.requests.isEmpty)
    #expect(try await client.load(.text(.get("/"))) == "1")
  }

  @Test(arguments: Engine.allCases)
  func `a stream ends while it is read`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in [.head(headers: ["Content-Length": "9"]), .bytes("a\n"), .silence] }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())

    var lines = try await client.stream(.get("/")).lines.makeAsyncIterator()
    #expect(try await lines.next() == "a")
    client.cancelAll()

    await #expect(throws: CancellationError.self) { try await lines.next() }
    try await server.waitForDisconnects(count: 1)
  }

  @Test func `a stream of events isn't reopened`() async throws {
    let service = StubbedService()
    service.transport.stub(
      "*",
      .response(
        headers: [.contentType: "text/event-stream"], body: Data("data: a\n\n".utf8)))
    let client = try service.client()

    let read = Mutex<[String]>([])
    let loop = Task {
      for try await event in client.events(of: .get("/")) {
        read.withLock { $0.append(event.data) }
      }
    }
    // The stream's time limits are sleepers, too, but longer.
    try await service.clock.waitForSleepers(count: 1, within: .seconds(30))
    client.cancelAll()

    await #expect(throws: CancellationError.self) { try await loop.value }
    #expect(read.withLock(\.self) == ["a"])
    #expect(service.transport.requests.count == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a resumable download keeps its part and continues from there`(_ engine: Engine)
    async throws
  {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "resource-loading-\(UUID().uuidString).bin")
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try LoopbackServer {
      LoopbackRoute("*") { request in
        guard request.header("Range") == nil else {
          return .response(
            status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 2-3/4"], body: "cd")
        }
        return [
          .head(headers: ["ETag": "\"1\"", "Content-Length": "4"]), .bytes("ab"), .silence,
        ]
      }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url())
    let arrived = Gate()
    let download = Resource.download(.get("/"), to: file, resuming: true)

    let load = client.promise(for: download.onProgress { _ in arrived.open() })
    try await arrived.opened()
    client.cancelAll()

    await #expect(throws: CancellationError.self) { try await load.get() }
    #expect(try await client.load(download).resumedSize == 2)
    #expect(try Data(contentsOf: file) == Data("abcd".utf8))
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `each load completes once and nothing continues, whenever it happens`(
    _ seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let transport = StubTransport()
    transport.stub("/a", .json("1"))
    transport.stub("/b", .never)
    transport.stub("/c", .json("1").delayed(by: .microseconds(200)))
    transport.stub("/d", .status(503))
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
      $0.middleware = [
        CoalescingMiddleware(),
        RetryMiddleware(RetryPolicy(maximumAttempts: 3, backoff: Backoff(base: .seconds(3600)))),
      ]
      $0.maximumRequestsPerHost = 3
    }

    for _ in 0..<40 {
      let loads = (0..<12).map { _ in
        CancellableLoad(
          Form.allCases.randomElement(using: &random) ?? .await,
          .void(.get("/\(["a", "b", "c", "d"].randomElement(using: &random) ?? "a")")), with: client
        )
      }
      try await Task.sleep(for: .microseconds(Int.random(in: 0...500, using: &random)))
      // Loads that begin later aren't cancelled, so the test repeats this until all have begun.
      while loads.contains(where: { $0.completions == 0 }) {
        client.cancelAll()
        await Task.yield()
      }
      for load in loads {
        let failure = await load.result.failure
        #expect(failure == nil || failure is CancellationError, "\(failure as Any)")
        #expect(load.completions == 1)
      }
      try await transport.waitUntilIdle()
    }

    #expect(try await client.load(.text(.get("/a"))) == "1")
  }
}

/// Calls a closure once, on the thread that begins the load, and goes on.
private final class Interrupting: Middleware {
  private let action = Mutex<(@Sendable () -> Void)?>(nil)

  func call(_ action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }

  func respond(to request: Request, next: Next) async throws -> Response {
    action.withLock { $0.take() }?()
    return try await next(request)
  }
}
