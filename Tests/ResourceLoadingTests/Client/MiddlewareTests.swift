import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct MiddlewareTests {
  private struct Tag: Middleware {
    var name: String

    func respond(to request: Request, next: Next) async throws -> Response {
      var request = request
      request.headers.append("X-Tag", name)
      var response = try await next(request)
      response.body += Data(name.utf8)
      return response
    }
  }

  @Test(arguments: Engine.allCases)
  func `the first middleware is the outermost`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "") } }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [Tag(name: "a"), Tag(name: "b")]
    }

    let text = try await client.load(.text(.get("/")))

    #expect(text == "ba")
    let tags = server.requests.first?.values(of: "X-Tag").joined(separator: ",")
    #expect(tags?.filter { $0 != " " } == "a,b")
  }

  @Test func `a middleware may return a response of its own`() async throws {
    struct Canned: Middleware {
      func respond(to request: Request, next: Next) async throws -> Response {
        Response(url: request.url, body: Data("canned".utf8))
      }
    }
    let client = Client(baseURL: URL(string: "http://127.0.0.1:9")!) { $0.middleware = [Canned()] }

    #expect(try await client.load(.text(.get("/"))) == "canned")
  }

  @Test func `the load's error contains what a middleware throws`() async throws {
    struct Refusal: Error {}
    struct Refusing: Middleware {
      func respond(to request: Request, next: Next) async throws -> Response { throw Refusal() }
    }
    let client = Client(baseURL: URL(string: "http://127.0.0.1:9")!) {
      $0.middleware = [Refusing()]
    }

    let error = await #expect(throws: LoadError.self) { try await client.load(.text(.get("/"))) }

    #expect(error?.kind == .middleware)
    #expect(error?.underlying is Refusal)
    #expect(error?.curlCommand?.contains("127.0.0.1") == true)
  }

  @Test(arguments: Engine.allCases)
  func `a middleware sees errors as responses, whatever their status`(_ engine: Engine) async throws
  {
    struct Mending: Middleware {
      func respond(to request: Request, next: Next) async throws -> Response {
        var response = try await next(request)
        if response.status == 404 { response.status = 200 }
        return response
      }
    }
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .status(404) } }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) { $0.middleware = [Mending()] }

    try await client.load(.void(.get("/")))
  }

  @Test(arguments: Engine.allCases)
  func `the bypass has the defaults and no middleware`(_ engine: Engine) async throws {
    struct Asking: Middleware {
      func respond(to request: Request, next: Next) async throws -> Response {
        let word = try await next.bypass.load(.text(.get("/word")))
        var request = request
        request.headers["X-Word"] = word
        return try await next(request)
      }
    }
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "swordfish") } }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url("/api")) {
      $0.middleware = [Asking()]
      $0.headers["X-App"] = "7"
    }

    try await client.load(.void(.get("/")))

    #expect(server.requests.map(\.target) == ["/api/word", "/api/"])
    #expect(server.requests.map { $0.header("X-App") } == ["7", "7"])
    #expect(server.requests.last?.header("X-Word") == "swordfish")
  }

  @Test(arguments: Engine.allCases)
  func `the signing hook sees each request as it is sent`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /old") { _ in .redirect(to: "/new") }
      LoopbackRoute("GET /new") { _ in .response(body: "ok") }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [Tag(name: "late")]
      $0.sign = { request, _ in
        request.headers["X-Signature"] =
          "\(request.method) \(request.url.path()) \(request.headers["X-Tag"] ?? "")"
      }
    }

    try await client.load(.void(.get("/old")))

    #expect(
      server.requests.map { $0.header("X-Signature") } == ["GET /old late", "GET /new late"])
  }

  @Test(arguments: Engine.allCases)
  func `events describe the steps of a load in order`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /old") { _ in .redirect(to: "/new") }
      LoopbackRoute("GET /new") { _ in .response(body: "ok") }
    }
    defer { server.stop() }
    let events = Mutex<[String]>([])
    let client = Client(engine, baseURL: server.url()) {
      $0.observer = { event in
        let text =
          switch event.kind {
          case .started(let request): "started \(request.url.path())"
          case .sent(let method, let url): "sent \(method) \(url.path())"
          case .received(let status): "received \(status.rawValue)"
          case .completed(let status, let bytes): "completed \(status.rawValue) \(bytes)"
          case .measured: "measured"
          case .parsed: "parsed"
          default: "other"
          }
        events.withLock { $0.append("\(event.load) \(text)") }
      }
    }

    try await client.load(.void(.get("/old")))

    let expected = [
      "started /old", "sent GET /old", "received 302", "measured", "completed 302 0",
      "sent GET /new",
      "received 200", "measured", "completed 200 2", "parsed",
    ]
    #expect(events.withLock(\.self) == expected.map { "1 \($0)" })
  }

  @Test(arguments: Engine.allCases)
  func `a dry run shows what would be sent and sends nothing`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url("/api")) {
      $0.middleware = [Tag(name: "x")]
      $0.headers = [.authorization: "Bearer swordfish"]
      $0.options.timeout = .seconds(5)
    }

    let run = try await client.dryRun(Resource.void(.get("/users/1")))

    #expect(run.request?.url.path() == "/api/users/1")
    #expect(run.request?.headers["X-Tag"] == "x")
    #expect(run.description.contains("/api/users/1"))
    #expect(run.description.contains("through: Tag"))
    #expect(run.description.contains("5.0 seconds in all"))
    #expect(!run.description.contains("swordfish"))
    #expect(server.requests.isEmpty)
  }

  @Test func `the cURL line is the request as it was sent, without secrets`() async throws {
    struct Adding: Middleware {
      func respond(to request: Request, next: Next) async throws -> Response {
        try await next(request.header("X-Trace", "t-1").header(.authorization, "Bearer s3cr3t"))
      }
    }
    let transport = StubTransport()
    transport.stub("*", .status(500))
    let client = Client(baseURL: URL(string: "https://example.org/api")) {
      $0.transport = transport
      $0.middleware = [Adding()]
      $0.sign = { request, _ in request.headers["X-Date"] = "today" }
    }

    let error = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/a"))) }

    let line = try #require(error?.curlCommand)
    #expect(line.contains("X-Trace: t-1") && line.contains("X-Date: today"))
    #expect(line.contains("Authorization: ") && !line.contains("s3cr3t"))
    #expect(line.hasSuffix("'https://example.org/api/a'"))
  }
}
