import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The snippets of the requirements, word for word.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SnippetTests {
  private struct PublicKey: Decodable, Sendable { let key: String }
  fileprivate struct Repository: Decodable, Sendable { let name: String }

  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /public-key") { _ in .json(#"{"key": "abc"}"#) }
      LoopbackRoute("GET /users/octocat") { _ in .json(#"{"login": "octocat"}"#) }
      LoopbackRoute("GET /users/octocat/repos") { _ in .json(#"[{"name": "a"}, {"name": "b"}]"#) }
    }
  }

  @Test func `a JSON resource of a URL loads by callback`() async throws {
    let server = try makeServer()
    let host = "http://\(server.host):\(server.port)"

    let pubKeyResource = Resource<PublicKey>(json: URL(string: "\(host)/public-key")!)
    let result = await withCheckedContinuation { continuation in
      URLSession.shared.load(pubKeyResource) { result in continuation.resume(returning: result) }
    }

    #expect(try result.get().key == "abc")
  }

  @Test func `a URL and a parser load by callback`() async throws {
    let server = try makeServer()
    let url = server.url("/public-key")

    let result = await withCheckedContinuation { continuation in
      URLSession.shared.load(url, parser: { data in data.count }) { result in
        continuation.resume(returning: result)
      }
    }

    #expect(try result.get() == 14)
  }

  @Test func `promises chain loads without nesting`() async throws {
    let server = try makeServer()
    let session = URLSession.shared
    let user = Resource<User>(json: server.url("/users/octocat"))
    @Sendable func repositories(of user: User) -> Resource<[Repository]> {
      Resource(json: server.url("/users/\(user.login)/repos"))
    }

    let count = try await withCheckedThrowingContinuation { continuation in
      session.promise(for: user)
        .then { session.promise(for: repositories(of: $0)) }
        .map(\.count)
        .done { continuation.resume(returning: $0) }
        .catch { continuation.resume(throwing: $0) }
    }

    #expect(count == 2)
  }

  @Test func `await gives the value`() async throws {
    let server = try makeServer()
    let session = URLSession.shared
    let pubKeyResource = Resource<PublicKey>(json: server.url("/public-key"))

    let user = try await session.load(pubKeyResource)

    #expect(user.key == "abc")
  }

  @Test func `static factories load by their names`() async throws {
    let github = StubLoader()
    github.stub("/users/octocat", .json(#"{"login": "octocat"}"#))

    let user = try await github.load(.user("octocat"))

    let promised = try await github.promise(for: .user("octocat")).get()
    let result = await withCheckedContinuation { continuation in
      github.load(.user("octocat")) { continuation.resume(returning: $0) }
    }

    #expect(user.login == "octocat")
    #expect(promised.login == "octocat")
    #expect(try result.get().login == "octocat")
  }

  @Test func `a router enum loads through the same call`() async throws {
    enum Router: Endpoint {
      case user(String)
      var resource: Resource<User> {
        switch self {
        case .user(let login): Resource(json: .get("/users/\(login)"))
        }
      }
    }
    let github = StubLoader()
    github.stub("GET /users/a%2Fb", .json(#"{"login": "a/b"}"#))

    let user = try await github.load(Router.user("a/b"))
    let promised = try await github.promise(for: Router.user("a/b")).get()
    let result = await withCheckedContinuation { continuation in
      github.load(Router.user("a/b")) { continuation.resume(returning: $0) }
    }

    #expect(user.login == "a/b")
    #expect(promised.login == "a/b")
    #expect(try result.get().login == "a/b")
  }
}
