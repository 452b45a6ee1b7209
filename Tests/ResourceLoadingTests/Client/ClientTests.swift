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
struct ClientTests {
  private struct Item: Codable, Sendable, Equatable { var firstName: String }

  private static func echo() throws -> LoopbackServer {
    try LoopbackServer { LoopbackRoute("*") { _ in .json(#"{"first_name": "Ada"}"#) } }
  }

  @Test(
    arguments: [
      ("/api", "/users/1", "/api/users/1"), ("/api/", "users/1", "/api/users/1"),
      ("/api/", "/users/1", "/api/users/1"), ("/api", "users/1", "/api/users/1"),
      ("/", "users", "/users"), ("/", "", "/"), ("/api?v=2", "users", "/api/users?v=2"),
    ], Engine.allCases)
  func `a path is appended to the base URL`(
    _ row: (base: String, path: String, target: String), _ engine: Engine
  ) async throws {
    let server = try Self.echo()
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url(row.base))

    try await client.load(.void(.get(RequestPath(row.path))))

    #expect(server.requests.map(\.target) == [row.target])
  }

  @Test func `a base URL may be a literal`() {
    let client = Client(baseURL: "https://api.example.org/v1") { $0.maximumRequests = 3 }
    let configuration = Client.Configuration(baseURL: "https://api.example.org/v1")

    #expect(client.configuration.baseURL == URL(string: "https://api.example.org/v1"))
    #expect(client.configuration.maximumRequests == 3)
    #expect(configuration.baseURL == client.configuration.baseURL)
  }

  @Test func `a literal that isn't a URL is a programmer's error`() async {
    await #expect(processExitsWith: .failure) { _ = Client(baseURL: "http://[") }
  }

  @Test func `a literal that isn't an absolute URL fails loads with a hint`() async throws {
    let client = Client(baseURL: "api.example.org")

    let error = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }

    #expect(error?.kind == .invalidRequest)
    #expect(error?.advice?.contains("https://") == true)
  }

  @Test(arguments: Engine.allCases)
  func `an absolute URL replaces the base URL`(_ engine: Engine) async throws {
    let (home, other) = (try Self.echo(), try Self.echo())
    defer {
      home.stop()
      other.stop()
    }
    let client = Client(engine, baseURL: home.url("/api")) {
      $0.headers = ["X-Api-Key": "secret", "X-Tenant": "t", "X-App": "7", .accept: "a/b"]
      $0.query = ["key": "secret"]
      $0.options.crossOriginHeaders = ["X-App"]
    }

    try await client.load(.void(other.url("/elsewhere")))

    #expect(home.requests.isEmpty)
    let arrived = try #require(other.requests.first)
    #expect(arrived.target == "/elsewhere")
    #expect(arrived.header("X-App") == "7")
    #expect(arrived.header("Accept") == "a/b")
    #expect(arrived.header("X-Api-Key") == nil && arrived.header("X-Tenant") == nil)
  }

  @Test(arguments: ["../admin", "a/../../admin", "/..", "/a/./../.."], Engine.allCases)
  func `a path can't leave the base URL`(_ path: String, _ engine: Engine) async throws {
    let server = try Self.echo()
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url("/api"))

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(Request(.get, RequestPath(path))))
    }

    #expect(error?.kind == .invalidRequest)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `defaults are sent unless the request has its own`(_ engine: Engine) async throws {
    let server = try Self.echo()
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.headers = ["User-Agent": "octo", "X-Api-Key": "k", "Accept-Language": "de"]
      $0.query = ["key": "k", "v": "1"]
    }

    try await client.load(
      .void(Request(.get, "/a", query: ["v": "2"], headers: ["accept-language": "en"])))

    let arrived = try #require(server.requests.first)
    #expect(arrived.target == "/a?v=2&key=k")
    #expect(arrived.header("User-Agent") == "octo")
    #expect(arrived.header("X-Api-Key") == "k")
    #expect(arrived.values(of: "Accept-Language") == ["en"])
  }

  @Test(arguments: Engine.allCases)
  func `the client's decoder is used unless the resource has its own`(_ engine: Engine) async throws
  {
    let server = try Self.echo()
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.decoder.keyDecodingStrategy = .convertFromSnakeCase
    }

    let item = try await client.load(Resource<Item>(json: .get("/")))
    let error = await #expect(throws: LoadError.self) {
      try await client.load(Resource<Item>(json: .get("/"), decoder: JSONDecoder()))
    }

    #expect(item == Item(firstName: "Ada"))
    #expect(error?.kind == .parsing)
  }

  @Test(arguments: Engine.allCases)
  func `options of the request take precedence over the client's`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .status(404) } }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) { $0.options.acceptedStatuses = [404] }
    var strict = Request.get("/")
    strict.options.acceptedStatuses = .successful

    try await client.load(.void(.get("/")))
    let error = await #expect(throws: LoadError.self) { try await client.load(.void(strict)) }

    #expect(error?.kind == .status)
  }

  @Test(arguments: Engine.allCases)
  func `clients share nothing`(_ engine: Engine) async throws {
    let server = try Self.echo()
    defer { server.stop() }
    let clients = (1...2).map { number in
      Client(engine, baseURL: server.url()) { $0.headers["X-Client"] = "\(number)" }
    }

    for client in clients { try await client.load(.void(.get("/"))) }
    clients[0].close()
    try await clients[1].load(.void(.get("/")))

    #expect(server.requests.map { $0.header("X-Client") } == ["1", "2", "2"])
    #expect(Set(server.requests.map(\.connection)).count == 2)
  }

  @Test func `the app's own URLSession can be the transport`() async throws {
    let server = try Self.echo()
    defer { server.stop() }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-Session": "mine"]
    let session = URLSession(configuration: configuration)
    let client = Client(baseURL: server.url()) {
      $0.transport = URLSessionTransport(session: session)
    }

    try await client.load(.void(.get("/")))
    client.close()
    try await session.load(.void(server.url()))

    #expect(server.requests.map { $0.header("X-Session") } == ["mine", "mine"])
  }

  @Test(arguments: Engine.allCases)
  func `callbacks run on the client's executor`(_ engine: Engine) async throws {
    let server = try Self.echo()
    defer { server.stop() }
    let queue = DispatchQueue(label: "callbacks")
    let key = DispatchSpecificKey<String>()
    queue.setSpecific(key: key, value: "mine")
    let client = Client(engine, baseURL: server.url()) { $0.callbackExecutor = queue }

    let place = await withCheckedContinuation { continuation in
      client.load(.void(.get("/"))) { _ in
        continuation.resume(returning: DispatchQueue.getSpecific(key: key))
      }
    }

    #expect(place == "mine")
  }

  @Test(arguments: Engine.allCases)
  func `a 401 with a Basic challenge keeps its body`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        .response(
          status: 401, headers: ["WWW-Authenticate": #"Basic realm="x""#],
          body: #"{"message": "who?"}"#)
      }
    }
    defer { server.stop() }

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.void(server.url()))
    }

    #expect(error?.kind == .authentication)
    #expect(error?.serverMessage == "who?")
  }

  @Test(arguments: Engine.allCases)
  func `a body beyond the limit ends the load while it arrives`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [
          .bytes(
            "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
              + String(repeating: "x", count: 5000)),
          .silence,
        ]
      }
    }
    defer { server.stop() }
    var request = Request(url: server.url())
    request.options.maximumBodySize = 1000

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.data(request))
    }

    #expect(error?.kind == .tooLarge)
    try await server.waitForDisconnects(count: 1)
  }

  @Test(arguments: [300, 301, 302, 303, 304, 305, 307, 308], Engine.allCases)
  func `a 3xx without a Location is a response`(_ status: Int, _ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .status(status) } }
    defer { server.stop() }

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.void(server.url()))
    }

    #expect(error?.kind == .status)
    #expect(error?.status?.rawValue == status)
  }
}
