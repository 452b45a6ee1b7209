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
struct ImpliedHeaderTests {
  private static let own = "application/vnd.github+json"

  private func accept(
    of resource: some Endpoint, _ headers: Headers
  ) async throws -> [String] {
    let transport = StubTransport()
    transport.stub("*", .json(#"{"data": 1}"#))
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
      $0.headers = headers
    }
    _ = try await client.load(resource)
    return transport.requests.flatMap { $0.headers.values(of: .accept) }
  }

  @Test func `the client's Accept beats the one that JSON implies`() async throws {
    let number = Resource<[String: Int]>(json: .get("/"))

    #expect(try await accept(of: number, [:]) == ["application/json"])
    #expect(try await accept(of: number, [.accept: Self.own]) == [Self.own])
    #expect(try await accept(of: number, [.accept: "a/b", "accept": "c/d"]) == ["a/b", "c/d"])
    let graph = Resource<Int>.graphQL(GraphQLOperation("{ a }"), to: .post("/"))
    #expect(try await accept(of: graph, [.accept: Self.own]) == [Self.own])
  }

  @Test func `the request's own Accept beats the client's, whenever it is set`() async throws {
    let before = Resource<[String: Int]>(json: Request.get("/").accept(.json))
    var after = Resource<[String: Int]>(json: .get("/"))
    after.request.headers[.accept] = MediaType.json.rawValue
    var appended = Resource<[String: Int]>(json: .get("/"))
    appended.request.headers.append(.accept, "c/d")

    #expect(try await accept(of: before, [.accept: Self.own]) == ["application/json"])
    #expect(try await accept(of: after, [.accept: Self.own]) == ["application/json"])
    #expect(try await accept(of: appended, [.accept: Self.own]) == ["c/d"])
    #expect(after.request.headers == Resource<Int>(json: .get("/")).request.headers)
  }

  @Test(arguments: Form.allCases)
  func `the session's Accept beats the one that JSON implies`(_ form: Form) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .json("1") } }
    defer { server.stop() }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["accept": Self.own, "X-A": "1"]
    let session = URLSession(configuration: configuration)

    let results = await (
      form.load(Resource<Int>(json: server.url()), with: session),
      form.load(Resource<Int>(json: Request.get(server.url()).accept(.json)), with: session)
    )

    #expect(try results.0.get() == 1 && results.1.get() == 1)
    #expect(server.requests.map { $0.header("Accept") } == [Self.own, "application/json"])
  }
}
