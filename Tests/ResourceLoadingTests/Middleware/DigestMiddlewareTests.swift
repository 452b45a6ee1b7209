import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Digests of bodies, with the examples of RFC 9530, appendix B.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DigestMiddlewareTests {
  private let service = StubbedService()
  private static let hello = #"{"hello": "world"}"# + "\n"
  private static let sha256 = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"

  private func load(
    _ headers: Headers, _ body: String = hello, status: Status = .ok,
    requiring: Bool = false,
    sending request: Request = .get("/")
  ) async -> LoadError? {
    do {
      let client = try service.client(DigestMiddleware(requiresDigest: requiring))
      service.transport.stub(
        "*", .response(status: status, headers: headers, body: Data(body.utf8)))
      _ = try await client.load(.data(request))
      return nil
    } catch {
      return error as? LoadError
    }
  }

  @Test(arguments: ["Content-Digest", "Repr-Digest"])
  func `a response is compared with its digest`(_ name: String) async {
    let same = await load([Headers.Name(rawValue: name): Self.sha256])
    let other = await load([Headers.Name(rawValue: name): Self.sha256], "forged")
    let second = await load([Headers.Name(rawValue: name): "md5=:AAAA:, \(Self.sha256)"], "forged")

    #expect(same == nil)
    #expect(other?.kind == .digest)
    #expect(second?.kind == .digest)
    #expect(service.transport.requests.first?.headers["Want-Content-Digest"] == "sha-256=10")
    #expect(service.transport.requests.first?.headers["Accept-Encoding"] == "identity")
  }

  @Test func `a digest that isn't that of the bytes in memory isn't compared`() async {
    let coded = await load(["Repr-Digest": Self.sha256, "Content-Encoding": "dcb"], "coded")
    let part = await load(["Repr-Digest": Self.sha256], "part", status: .partialContent)
    let cutPart = await load(
      ["Content-Digest": Self.sha256], "part", status: .partialContent)
    let head = await load(["Repr-Digest": Self.sha256], "", sending: .head("/"))
    let failed = await load(["Repr-Digest": Self.sha256], "sorry", status: .notFound)

    #expect(coded == nil)
    #expect(part == nil)
    #expect(cutPart?.kind == .digest)
    #expect(head == nil)
    #expect(failed?.kind == .status)
  }

  @Test func `a stream isn't compared with its digest`() async throws {
    service.transport.stub(
      "*", .response(headers: ["Content-Digest": Self.sha256], body: Data(Self.hello.utf8)))
    let client = try service.client(DigestMiddleware(requiresDigest: true))

    var body = Data()
    for try await piece in try await client.stream(.get("/")) { body += piece }

    #expect(String(decoding: body, as: UTF8.self) == Self.hello)
  }

  @Test func `a digest can be required`() async {
    #expect(await load([:]) == nil)
    #expect(await load([:], requiring: true)?.kind == .digest)
    #expect(await load(["Content-Digest": "md5=:AAAA:"], requiring: true)?.kind == .digest)
    #expect(await load([:], "", status: .noContent, requiring: true) == nil)
    #expect(await load(["Content-Digest": Self.sha256], requiring: true) == nil)
  }

  @Test func `bodies are sent with a digest of their bytes`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("hello.json")
    try Data(Self.hello.utf8).write(to: file)
    let bodies: [Request.Body] = [
      .data(Data(Self.hello.utf8)), .text(Self.hello), .file(file),
    ]

    for body in bodies { #expect(await load([:], sending: .post("/").body(body)) == nil) }
    _ = await load([:], sending: .post("/").body(.json(["b": 2, "a": 1])))
    _ = await load([:], sending: .post("/").body(.text("x")).header("Content-Digest", "own"))
    _ = await load([:], sending: .post("/"))

    let requests = service.transport.requests
    let digests = requests.map { $0.headers["Content-Digest"] }
    #expect(digests.prefix(3) == [Self.sha256, Self.sha256, Self.sha256])
    #expect(digests.suffix(2) == ["own", nil])
    let json = try #require(try requests[3].body?.data())
    let client = try service.client(DigestMiddleware())
    service.transport.stub(
      "*", .response(headers: ["Content-Digest": try #require(digests[3])], body: json))
    // The digest was that of the bytes that were sent.
    #expect(try await client.load(.data(.get("/"))) == json)
    #expect(requests[3].headers["Content-Type"] == "application/json")
  }

  private struct Naming: Middleware {
    struct Content: Encodable { var firstName = "Octo" }

    func respond(to request: Request, next: Next) async throws -> Response {
      try await next(request.json(Content()))
    }
  }

  @Test func `JSON of a middleware is encoded by the client's encoder`() async throws {
    service.transport.stub("*", .status(204))
    let client = Client(baseURL: "https://api.example.org") {
      $0.transport = service.transport
      $0.encoder.keyEncodingStrategy = .convertToSnakeCase
      $0.middleware = [Naming(), DigestMiddleware()]
    }

    try await client.load(.void(.post("/")))

    let body = try service.transport.requests.last?.body?.data()
    #expect(body == Data(#"{"first_name":"Octo"}"#.utf8))
  }
}
