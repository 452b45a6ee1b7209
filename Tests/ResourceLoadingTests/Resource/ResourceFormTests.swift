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
struct ResourceFormTests {
  private struct Login: Decodable, Sendable, Equatable { var login: String }

  @Test(arguments: Form.allCases)
  func `json, text, data and void have the same short form`(_ form: Form) async throws {
    let loader = StubLoader()
    loader.stub("*", .json(#"{"login": "octocat", "data": [{"login": "mona"}]}"#))
    let url = URL(string: "https://example.org/")!

    let user: Login = try await loader.load(.json(.get("/x")))
    let same = try await loader.load(.json(url, as: Login.self))
    let inner = await form.load(.json(.get("/x"), as: Login.self, at: "data.0"), with: loader)
    let text = try await loader.load(.text(.get("/x")))
    let data = try await loader.load(.data(.get("/x")))
    try await loader.load(.void(.get("/x")))

    #expect(user == Login(login: "octocat") && same == user)
    #expect(try inner.get() == Login(login: "mona"))
    #expect(data == Data(text.utf8))
    let json: Resource<Login> = .json(.get("/x"))
    #expect(json.request == Resource<Login>(json: .get("/x")).request)
  }

  @Test func `a URL and a parser are loaded by a session, and as a resource in each form`()
    async throws
  {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "12345") } }
    defer { server.stop() }
    let (session, url) = (makeSession(), server.url())

    let called = try await withCheckedThrowingContinuation { continuation in
      session.load(url, parser: { $0.count }) { continuation.resume(with: $0) }
    }
    let resource = Resource(url: url) { data in data.count }
    let promised = session.promise(for: resource)
    let awaited = try await session.load(resource)

    #expect(try await [called, promised.get(), awaited] == [5, 5, 5])
  }

  @MainActor
  private final class Screen {
    var title = "" {
      didSet { titleDidChange(title) }
    }
    var titleDidChange: (String) -> Void = { _ in }

    func show(_ loader: some Loader, _ endpoint: some Endpoint<Login>) {
      loader.load(.json(.get("/"), as: Login.self), on: .main) { result in
        self.title += (try? result.get().login) ?? "?"
      }
      loader.load(endpoint.resource, on: .main) { [weak self] result in
        switch result {
        case .success(let user): self?.title += user.login
        case .failure(let error): self?.title += "\(error)"
        }
      }
      loader.promise(for: endpoint).done(on: .main) { self.title += $0.login }
    }
  }

  @MainActor @Test func `a callback on main may use the state of the main actor`() async throws {
    let loader = StubLoader()
    loader.stub("*", .json(#"{"login": "x"}"#))
    let screen = Screen()
    let (titles, coming) = AsyncStream.makeStream(of: String.self)
    screen.titleDidChange = { coming.yield($0) }

    screen.show(loader, Resource<Login>(json: .get("/")))

    var iterator = titles.makeAsyncIterator()
    for title in ["x", "xx", "xxx"] { #expect(await iterator.next() == title) }
  }

  @Test func `tests of transports can create a wire request`() throws {
    let url = try #require(URL(string: "https://example.org/a"))

    let plain = try WireRequest(url: url)
    let post = try WireRequest(.post, url: url, headers: ["X-A": " 1 "], body: Data("{}".utf8))
    let described = try WireRequest(Request.get(url).query(["b": 2]))

    #expect(plain.method == .get && plain.url == url && plain.body == nil)
    #expect(post.headers["X-A"] == "1" && post.body?.length == 2)
    #expect(described.url.absoluteString == "https://example.org/a?b=2")
    #expect(throws: LoadError.self) { try WireRequest(url: url, body: Data("{}".utf8)) }
  }
}
