import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

@Suite struct LoadTracerTests {
  @Test func `a user's tracer sees each load and its exchanges, and adds headers`() async throws {
    let transport = StubTransport()
    transport.stub("/old", .response(status: 302, headers: [.location: "/new"]))
    transport.stub("/new", .json("1"))
    let tracer = Tracer()
    let url = try #require(URL(string: "https://api.example.org"))
    let client = Client(baseURL: url) {
      $0.transport = transport
      $0.tracer = tracer
    }

    try await client.load(.void(.get("/old")))
    await #expect(throws: LoadError.self) { try await client.load(.void(.get("/missing"))) }

    #expect(
      tracer.lines.withLock(\.self) == [
        "load /old", "begin /old", "head 302", "end 302", "begin /new", "head 200", "end 200",
        "loaded 200", "load /missing", "begin /missing", "failed", "not loaded",
      ])
    #expect(transport.requests.prefix(2).map { $0.headers["X-Exchange"] } == ["0", "1"])
  }

  @Test func `a dry run isn't traced`() async throws {
    let tracer = Tracer()
    let url = try #require(URL(string: "https://api.example.org"))
    let client = Client(baseURL: url) {
      $0.transport = StubTransport()
      $0.tracer = tracer
    }

    let run = try await client.dryRun(Resource.void(.get("/")))

    #expect(run.request?.headers["X-Exchange"] == nil && tracer.lines.withLock(\.isEmpty))
  }
}

/// Records its calls.
private final class Tracer: LoadTracer {
  let lines = Mutex<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }

  func trace(_ request: Request, next: Next) async throws -> Response {
    note("load \(request.url.path())")
    do {
      let response = try await next(request)
      note("loaded \(response.status.rawValue)")
      return response
    } catch {
      note("not loaded")
      throw error
    }
  }

  func begin(_ exchange: ObservedExchange, _ headers: inout Headers) -> (any ExchangeFollower)? {
    note("begin \(exchange.url.path())")
    headers["X-Exchange"] = "\(exchange.number)"
    return Follower(tracer: self)
  }

  private final class Follower: ExchangeFollower {
    let tracer: Tracer

    init(tracer: Tracer) { self.tracer = tracer }

    func measured(_ metrics: ExchangeMetrics) {}

    func received(_ head: ResponseHead) { tracer.note("head \(head.status.rawValue)") }

    func ended(_ outcome: Result<ResponseHead, any Error>) {
      tracer.note((try? outcome.get()).map { "end \($0.status.rawValue)" } ?? "failed")
    }
  }
}
