import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SendingTests {
  @Test(arguments: Means.allCases)
  func `method, query, headers and body arrive as they were described`(_ means: Means) async throws
  {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let request = Request(
      .patch, url: server.url("/p?x=1"), query: ["q": "a b"],
      headers: ["X-One": "ä", .cookie: "a=b"],
      body: .data(Data([0, 1, 255])))

    _ = try await means.makeLoader().load(.void(request))

    let arrived = try #require(server.requests.first)
    #expect(arrived.method == "PATCH")
    #expect(arrived.target == "/p?x=1&q=a%20b")
    #expect(arrived.header("X-One") == "ä")
    #expect(arrived.header("Cookie") == "a=b")
    #expect(arrived.header("Content-Type") == "application/octet-stream")
    #expect(arrived.values(of: "Content-Length") == ["3"])
    #expect(arrived.body == Data([0, 1, 255]))
  }

  @Test(arguments: Means.allCases)
  func `headers are unique regardless of their case`(_ means: Means) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let request = Request(
      .post, url: server.url("/"),
      headers: ["content-type": "text/plain", "x-API-key": "1", "x-many": "2", "X-Many": "3"],
      body: .data(Data([1])))

    _ = try await means.makeLoader().load(.void(request))

    let arrived = try #require(server.requests.first)
    #expect(arrived.values(of: "Content-Type") == ["text/plain"])
    #expect(arrived.values(of: "X-API-Key") == ["1"])
    #expect(arrived.values(of: "X-Many").joined(separator: ", ") == "2, 3")
  }

  @Test func `the session's own headers are sent unless the request has them`() async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-App": "7", "X-Other": "8"]
    let session = URLSession(configuration: configuration)
    let request = Request(url: server.url("/"), headers: ["x-other": "9"])

    _ = try await session.load(.text(request))

    #expect(server.requests.first?.header("X-App") == "7")
    #expect(server.requests.first?.values(of: "X-Other") == ["9"])
  }

  @Test(arguments: Means.allCases)
  func `a total timeout ends a load without a response`(_ means: Means) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .silence } }
    defer { server.stop() }
    var request = Request(url: server.url("/"))
    request.options.timeout = .milliseconds(80)
    let session = means.makeLoader()

    let started = ContinuousClock.now
    let error = await #expect(throws: LoadError.self) { try await session.load(.data(request)) }

    #expect(error?.kind == .timedOut)
    #expect(started.duration(to: .now) >= .milliseconds(80))
    // On a busy machine the time may end before there is a connection.
    try await server.wait { $0.open == 0 }
  }

  @Test func `an idle timeout of the session applies`() async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .silence } }
    defer { server.stop() }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 0.4
    let session = URLSession(configuration: configuration)

    let error = await #expect(throws: LoadError.self) {
      try await session.load(.data(server.url("/")))
    }

    #expect(error?.kind == .timedOut)
  }

  @Test func `an infinite timeout of the session is no limit`() async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = .infinity
    let session = URLSession(configuration: configuration)

    #expect(try await session.load(.text(server.url("/"))) == "ok")
  }

  @Test(arguments: Means.allCases)
  func `a body over the limit is an error`(_ means: Means) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "12345") } }
    defer { server.stop() }
    var request = Request(url: server.url("/"))
    request.options.maximumBodySize = 4
    let session = means.makeLoader()

    let error = await #expect(throws: LoadError.self) { try await session.load(.data(request)) }
    request.options.maximumBodySize = 5
    let text = try await session.load(.text(request))

    #expect(error?.kind == .tooLarge)
    #expect(text == "12345")
  }

  @Test(arguments: Means.allCases)
  func `early hints aren't the response`(_ means: Means) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [.informational(103, headers: ["Link": "</a>"]), .response(body: "ok")]
      }
    }
    defer { server.stop() }

    let response = try await means.makeLoader().load(Resource(Request(url: server.url("/"))) { $0 })

    #expect(response.status == .ok)
    #expect(response.body == Data("ok".utf8))
  }

  @Test func `an invalidated session is an error`() async throws {
    let session = makeSession()
    session.invalidateAndCancel()

    let error = await #expect(throws: LoadError.self) {
      try await session.load(.data(try #require(URL(string: "http://127.0.0.1:1/"))))
    }

    #expect(error?.kind == .closed)
  }

  @Test(arguments: Means.allCases)
  func `a request chooses the accepted statuses`(_ means: Means) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in .response(status: 404, body: "none") }
    }
    defer { server.stop() }
    var request = Request(url: server.url("/"))
    request.options.acceptedStatuses = .successful.union([404])

    #expect(try await means.makeLoader().load(.text(request)) == "none")
  }
}
