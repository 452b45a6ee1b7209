import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RedirectFollowingTests {
  @Test(
    arguments: [(302, "GET", ""), (303, "GET", ""), (307, "POST", "a=1"), (308, "POST", "a=1")],
    Means.allCases)
  func `a redirected POST arrives with the method and body of its status`(
    _ row: (status: Int, method: String, body: String), _ means: Means
  ) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("POST /old") { _ in .redirect(to: "new?x=1", status: row.status) }
      LoopbackRoute("/new") { _ in .response(body: "done") }
    }
    defer { server.stop() }
    let request = Request(.post, url: server.url("/old"), body: .text("a=1"))

    let text = try await means.makeLoader().load(.text(request))

    #expect(text == "done")
    #expect(server.requests.map(\.method) == ["POST", row.method])
    #expect(server.requests.last?.target == "/new?x=1")
    #expect(server.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == row.body)
  }

  @Test(arguments: Means.allCases)
  func `only the listed headers and those that the caller names go to another origin`(
    _ means: Means
  ) async throws {
    let other = try LoopbackServer { LoopbackRoute("GET /") { _ in .response(body: "ok") } }
    let target = other.url("/").absoluteString
    let server = try LoopbackServer { LoopbackRoute("GET /") { _ in .redirect(to: target) } }
    defer {
      server.stop()
      other.stop()
    }
    var request = Request(
      url: server.url("/"),
      headers: [
        .authorization: "Bearer secret", .cookie: "a=b", "X-Functions-Key": "k", "X-Tenant": "t",
        "Origin": "https://a.example", "Referer": "https://a.example/", "X-Trace": "7",
        .acceptLanguage: "de",
      ])
    request.options.crossOriginHeaders = ["x-trace", .host]

    _ = try await means.makeLoader().load(.text(request))

    let arrived = try #require(other.requests.first)
    #expect(server.requests.first?.header("Authorization") == "Bearer secret")
    #expect(server.requests.first?.header("Cookie") == "a=b")
    for name in ["Authorization", "Cookie", "X-Functions-Key", "X-Tenant", "Origin", "Referer"] {
      #expect(arrived.header(name) == nil)
    }
    #expect(arrived.header("X-Trace") == "7")
    #expect(arrived.header("Accept-Language") == "de")
    #expect(
      arrived.header("Host") == target.split(separator: "/").dropFirst().first.map(String.init))
  }

  @Test(arguments: Means.allCases)
  func `the response has the URL after redirects`(_ means: Means) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /a") { _ in .redirect(to: "/b") }
      LoopbackRoute("GET /b") { _ in .response(body: "b") }
    }
    defer { server.stop() }

    let url = try await means.makeLoader().load(Resource(Request(url: server.url("/a"))) { $0.url })

    #expect(url == server.url("/b"))
  }

  @Test func `the session's delegate may decline a redirect`() async throws {
    final class Decliner: NSObject, URLSessionTaskDelegate {
      func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
      ) { completionHandler(nil) }
    }
    let server = try LoopbackServer { LoopbackRoute("GET /a") { _ in .redirect(to: "/b") } }
    defer { server.stop() }
    let session = URLSession(
      configuration: .ephemeral, delegate: Decliner(), delegateQueue: nil)
    defer { session.invalidateAndCancel() }

    let error = await #expect(throws: LoadError.self) {
      try await session.load(.data(server.url("/a")))
    }

    #expect(error?.response?.status == 302)
    #expect(server.requests.count == 1)
  }

  @Test func `the session's delegate may answer a Basic challenge`() async throws {
    final class Answerer: NSObject, URLSessionTaskDelegate {
      func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
          @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
      ) {
        completionHandler(
          .useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
      }
    }
    let server = try LoopbackServer {
      LoopbackRoute("GET /") { request in
        request.header("Authorization") == "Basic dTpw"
          ? .response(body: "in")
          : .response(status: 401, headers: ["WWW-Authenticate": #"Basic realm="x""#], body: "no")
      }
    }
    defer { server.stop() }
    let session = URLSession(
      configuration: .ephemeral, delegate: Answerer(), delegateQueue: nil)
    defer { session.invalidateAndCancel() }

    #expect(try await session.load(.text(server.url("/"))) == "in")
  }

  @Test(arguments: Means.allCases)
  func `the bodies of redirects don't count towards the size limit`(
    _ means: Means
  ) async throws {
    let long = String(repeating: "x", count: 5000)
    let server = try LoopbackServer {
      LoopbackRoute("/old") { _ in .response(status: 302, headers: ["Location": "/new"], body: long)
      }
      LoopbackRoute("/new") { _ in .response(body: "ok") }
    }
    defer { server.stop() }
    var request = Request(url: server.url("/old"))
    request.options.maximumBodySize = 1000
    request.options.acceptedStatuses = .any

    #expect(try await means.makeLoader().load(.text(request)) == "ok")
  }

  @Test(arguments: Engine.allCases)
  func `the body of a followed redirect goes into neither a file nor a stream`(
    _ engine: Engine
  ) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("/old") { _ in
        .response(status: 302, headers: ["Location": "/new"], body: "moved")
      }
      LoopbackRoute("/new") { _ in .response(body: "ok") }
    }
    defer { server.stop() }
    var request = Request(url: server.url("/old"))
    request.options.acceptedStatuses = .any
    let (directory, client) = (TemporaryDirectory(), Client(engine))
    let file = directory.url.appending(path: "file")

    let stream = try await client.stream(request)
    var text = ""
    for try await line in stream.lines { text += line }
    let download = try await client.load(.download(request, to: file))

    #expect(stream.status == 200 && text == "ok")
    #expect(download.response.status == 200 && download.size == 2)
  }
}
