import Foundation
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// The last step before sending checks the whole request, and nothing changes afterwards.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct WireCheckTests {
  fileprivate static let forged = "a\r\nX-Forged: 1\r\n\r\nGET /second HTTP/1.1\r\nHost: h"

  /// Ways for a caller's or a server's text to get into a request later.
  enum Way: CaseIterable {
    case mediaType, partMediaType, jar, signedHeader, signedName, signedMethod, signedURL,
      middleware

    func configure(_ configuration: inout Client.Configuration) {
      switch self {
      case .mediaType, .partMediaType: break
      case .jar:
        configuration.cookies = CookieJar([Cookie(name: "a", value: forged, domain: "127.0.0.1")])
      case .signedHeader: configuration.sign = { request, _ in request.headers["X"] = forged }
      case .signedName:
        configuration.sign = { request, _ in request.headers.append(.init(rawValue: forged), "1") }
      case .signedMethod:
        configuration.sign = { request, _ in request.method = .init(rawValue: forged) }
      case .signedURL:
        configuration.sign = { request, _ in
          request.url = URL(string: "http://u:p@127.0.0.1/") ?? request.url
        }
      case .middleware: configuration.middleware = [Forging()]
      }
    }

    var body: Request.Body {
      switch self {
      case .mediaType: .data(Data("x".utf8), as: MediaType(rawValue: forged))
      case .partMediaType:
        .multipart([.data("a", Data("x".utf8), as: MediaType(rawValue: forged))])
      default: .text("x")
      }
    }
  }

  private struct Forging: Middleware {
    func respond(to request: Request, next: Next) async throws -> Response {
      try await next(request.header("X", forged))
    }
  }

  @Test(arguments: Way.allCases, Engine.allCases)
  func `changes after the first check are checked, too`(_ way: Way, _ engine: Engine)
    async throws
  {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url(), way.configure)

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(Request(.post, "/p", body: way.body)))
    }

    #expect(error?.kind == .invalidRequest)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["a\u{1}b", "a\u{7F}", "\u{1B}[2J", "a\r", "\n", "\0"])
  func `a control character in a value is refused`(_ value: String) throws {
    let url = try #require(URL(string: "http://h/"))

    #expect(throws: LoadError.self) { try WireRequest(.init(url: url, headers: ["X": value])) }
  }

  @Test(arguments: [
    "ftp://h/", "http:///p", "http://h:0/", "http://h:70000/", "http://u@h/", "http://h/#f", "/p",
    "http:",
  ])
  func `a URL that can't be requested is refused`(_ text: String) throws {
    let url = try #require(URL(string: text))

    #expect(throws: LoadError.self) { try WireRequest(.init(url: url)) }
  }

  @Test func `the transport sets framing headers, and values are trimmed`() throws {
    let url = try #require(URL(string: "http://h/a/./b/../c?d=/../"))
    let headers: Headers = [
      "content-length": "9", "Transfer-Encoding": "chunked", "X": " \ta b\t", "Y": "  ",
    ]

    let wire = try WireRequest(.init(url: url, headers: headers))

    #expect(wire.headers.map { "\($0.name)=\($0.value)" } == ["X=a b", "Y="])
    #expect(wire.url.absoluteString == "http://h/a/c?d=/../")
  }

  /// Requests with valid and invalid parts.
  private static func draft(_ url: URL, _ generator: inout SeededGenerator) -> WireRequest.Draft {
    func text(_ letters: String, _ count: ClosedRange<Int>) -> String {
      let letters = Array(letters)
      return String(
        (0..<Int.random(in: count, using: &generator)).map { _ in
          letters[Int.random(in: 0..<letters.count, using: &generator)]
        })
    }
    let isEvil = Int.random(in: 0..<4, using: &generator) == 0
    let value = " \t;:,=\"'@%()<>[]{}üé€" + (isEvil ? "\r\n\0\u{1B}" : "")
    var draft = WireRequest.Draft(
      method: .init(rawValue: text(isEvil ? "GPOST \r\n" : "GETPUSX!#*", 3...6)), url: url)
    let path =
      "/" + text("ab/%2F.;=:@!$&'()*+,~-_", 0...12) + text("?", 0...1) + text("a=/?&+", 0...6)
    draft.url = URL(string: url.absoluteString + path.dropFirst()) ?? url
    for index in 0..<Int.random(in: 0...4, using: &generator) {
      draft.headers.append(
        .init(rawValue: "X-\(index)" + text(isEvil ? "a:\r\n " : "aZ9!#$%&'*+.^_`|~", 0...4)),
        text(value, 0...12))
    }
    if Bool.random(using: &generator) { draft.body = WireBody(Data(text(value, 0...30).utf8)) }
    return draft
  }

  @Test(arguments: Engine.allCases)
  func `the bytes that arrive are those that were checked`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let transport = engine.makeTransport()
    var generator = SeededGenerator(seed: 6)
    var sent: [WireRequest] = []
    for _ in 0..<300 {
      guard let wire = try? WireRequest(Self.draft(server.url(), &generator)), wire.method != .head
      else { continue }
      let accumulator = ResponseAccumulator(
        limits: ExchangeLimits(deadline: nil, duration: nil, clock: .system, accepted: .any))
      _ = try await accumulator.response { transport.start(wire, receiver: accumulator) }
      sent.append(wire)
    }

    let arrived = server.requests
    try #require(sent.count > 100 && arrived.count == sent.count)
    for (wire, request) in zip(sent, arrived) {
      let parts = wire.url.absoluteString.split(separator: "/", maxSplits: 2)
      #expect(request.method == wire.method.rawValue)
      #expect(request.target == "/" + (parts.count > 2 ? parts[2] : ""))
      for field in wire.headers where field.name.rawValue.hasPrefix("X-") {
        #expect(request.values(of: field.name.rawValue) == [field.value])
      }
      #expect(request.headers.filter { $0.name.hasPrefix("X-") }.count == wire.headers.count)
      let body = try wire.body?.data() ?? Data()
      #expect(request.body == body)
    }
  }

  @Test(arguments: [".", "..", "%2e", "%2E.", "%2e%2E"])
  func `a value that turns a segment into one or two dots is refused`(_ value: String) async throws
  {
    let transport = StubTransport()
    transport.stub("*", .status(.ok))
    let client = Client(baseURL: URL(string: "http://h.example/api")) { $0.transport = transport }
    let paths: [RequestPath] = ["/users/\(value)", "/users/\(value)/repos", "\(value)"]

    for path in paths + (value == "." ? ["/a/.\(value)", "/a/\(value)\(value)/b"] : []) {
      let error = await #expect(throws: LoadError.self) { try await client.load(.void(.get(path))) }
      #expect(error?.kind == .invalidRequest)
    }
    try await client.load(.void(.get("/files/a\(value)b/...\(value)")))
    #expect(transport.requests.count == 1)
  }

  @Test(arguments: [
    ("/a/%2e%2e/b", "/b"), ("/a/%2E%2e", "/"), ("/a/.%2e/b", "/b"), ("/a/%2E./b", "/b"),
    ("/a/%2e/b", "/a/b"), ("/%2e%2e/%2e%2e/b", "/b"), ("/a/..%2Fb", "/a/..%2Fb"),
    ("/a/%2e%2e%2e/b", "/a/%2e%2e%2e/b"), ("/a/%2eb/%2e?x=/%2e%2e/", "/a/%2eb/?x=/%2e%2e/"),
  ])
  func `no step to a parent directory is sent, escaped or not`(_ path: String, _ sent: String)
    throws
  {
    let url = try #require(URL(string: "http://h.example" + path))
    let base = try #require(URL(string: "http://h.example/x/y"))

    let direct = try WireRequest(url: url)
    let redirected = try #require(URL(reference: path, from: base))

    #expect(direct.url.absoluteString == "http://h.example" + sent)
    #expect(try WireRequest(url: redirected).url == direct.url)
  }

  @Test func `any text can be the name of a field and the file name of a part`() throws {
    let name = "a\u{1B}\r\n\0\t\"b"
    let multipart = Multipart([.data(name, Data(), filename: name)], boundary: "b")

    let text = try String(decoding: Request.Body.multipart(multipart).data(), as: UTF8.self)

    let written = "a%1B%0D%0A%00\t%22b"
    #expect(text.contains("name=\"\(written)\"; filename=\"\(written)\""))
  }
}

private let forged = WireCheckTests.forged
