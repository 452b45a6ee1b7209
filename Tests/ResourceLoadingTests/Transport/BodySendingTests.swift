import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct BodySendingTests {
  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("POST /again", .redirect(to: "/there", status: 307))
      LoopbackRoute("*") { _ in .response(body: "ok") }
    }
  }

  private static func bodies(_ file: URL) -> [Request.Body] {
    [
      .json(["a": [1, 2]]), .form(["q": "a b", "n": 1]), .file(file, as: "a/b"), .text(""),
      .multipart([.field("a", "b"), .file("f", file)]),
    ]
  }

  @Test(arguments: Means.allCases)
  func `every kind of body arrives complete, with its length and its type`(
    _ means: Means
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let file = try TemporaryFile(String(repeating: "0123456789", count: 30_000))
    let loader = means.makeLoader()

    for body in Self.bodies(file.url) {
      let count = server.requests.count
      _ = try await loader.load(.void(Request.post(server.url("/")).body(body)))

      let arrived = try #require(server.requests.dropFirst(count).first)
      #expect(arrived.body == (try body.data()))
      #expect(arrived.header("Content-Type") == (body.mediaType ?? .data).rawValue)
      #expect(arrived.values(of: "Content-Length") == ["\(try body.data().count)"])
    }
  }

  @Test(arguments: Means.allCases)
  func `every kind of body is sent again after a redirect`(_ means: Means) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let file = try TemporaryFile("0123456789")

    for body in Self.bodies(file.url) {
      let count = server.requests.count
      _ = try await means.makeLoader().load(.void(Request.post(server.url("/again")).body(body)))

      let arrived = server.requests.dropFirst(count)
      #expect(arrived.map(\.path) == ["/again", "/there"])
      #expect(arrived.allSatisfy { $0.body == (try? body.data()) })
      #expect(
        Set(arrived.map { $0.header("Content-Type") }) == [(body.mediaType ?? .data).rawValue])
    }
  }

  @Test(arguments: Means.allCases)
  func `nothing is sent if a body can't be prepared, in every form`(_ means: Means) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let bodies: [Request.Body] = [
      .json([Double.nan]), .file(URL(filePath: "/nowhere-at-all")), .form(["a": Double.infinity]),
      .multipart([.file("a", URL(filePath: "/nowhere-at-all"))]),
    ]

    for (body, form) in zip(bodies, Form.allCases + [.await]) {
      let resource = Resource.void(Request.post(server.url("/")).body(body))
      let error = await form.load(resource, with: means.makeLoader()).failure as? LoadError
      #expect(error?.kind == .invalidRequest)
    }

    #expect(server.requests.isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `a client's encoder encodes bodies without an encoder`(_ engine: Engine) async throws {
    struct Note: Encodable { var createdBy = "me" }
    let server = try makeServer()
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.encoder.keyEncodingStrategy = .convertToSnakeCase
    }

    _ = try await client.load(.void(.post("a").json(Note())))
    _ = try await client.load(.void(.post("b").json(Note(), encoder: JSONEncoder())))
    _ = try await client.load(.void(.post("c").multipart([.json("n", Note())])))

    #expect(server.requests.map(\.text).first == #"{"created_by":"me"}"#)
    #expect(server.requests.dropFirst().first?.text == #"{"createdBy":"me"}"#)
    #expect(server.requests.last?.text.contains("created_by") == true)
  }

  @Test(arguments: Means.allCases)
  func `a file is followed through links, and may have changed when it is sent again`(
    _ means: Means
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let file = try TemporaryFile("0123456789")
    let directory = TemporaryDirectory()
    let link = directory.url.appending(path: "a-link-with-a-long-name")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file.url)

    _ = try await means.makeLoader().load(.void(Request.put(server.url("/")).body(.file(link))))

    #expect(server.requests.map(\.text) == ["0123456789"])
    #expect(server.requests.first?.values(of: "Content-Length") == ["10"])
  }
}
