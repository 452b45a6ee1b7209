import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct UnknownHost: Error {}

@MainActor
private final class TitleScreen {
  var title = ""
  let client: any Loader

  init(_ client: any Loader) { self.client = client }

  func callBack(_ login: String) {
    client.load(.user(login), on: .main) { _ in self.title = "Loaded" }
    client.promise(for: .user(login)).done(on: .main) { self.title = $0.login }
  }

  func show(_ login: String, _ client: any Loader) async throws {
    title = try await client.load(.user(login)).login
  }

  func start(_ login: String) -> Task<Void, any Error> {
    Task { title = try await client.load(.user(login)).login }
  }
}

private struct Versioned: Middleware {
  func respond(to request: Request, next: Next) async throws -> Response {
    try await next(request.header("API-Version", "3"))
  }
}

/// The code that compiles of the article "When it doesn't compile"; that which doesn't is compiled
/// by `.ci/messages`.
struct DocumentedMessages {
  private let client = StubLoader()
  private let login = "octocat"

  init() {
    client.stub("/users/octocat", .json(#"{"login": "octocat"}"#))
    client.stub("*", .json("[]"))
  }

  @Test func `requests and types`() async throws {
    let host = "example.org"

    do {
      let github = Client(baseURL: "https://api.github.com")
      #expect(github.configuration.baseURL?.host() == "api.github.com")
    }
    do {
      guard let url = URL(string: "https://\(host)/v1") else { throw UnknownHost() }
      let client = Client(baseURL: url)
      #expect(client.configuration.baseURL?.host() == host)
    }
    do {
      let user: User = try await client.load(.json(.get("/users/\(login)")))
      #expect(user.login == login)
    }
    do {
      let user = try await client.load(.json(.get("/users/octocat"), as: User.self))
      #expect(user.login == login)
    }
    do {
      let pages = client.pages(of: Resource.user(login).withResponse, by: .link)
      for try await page in pages { #expect(page.value.login == login) }
    }
    do {
      let page = try await client.load(.text(.get("/about")))
      #expect(page == "[]")
    }
    do {
      let page: Int? = nil
      let users: [User] = try await client.load(.json(.get("/users").query(["page": page])))
      #expect(users.isEmpty)
    }
    do {
      let request = Request.get("/users").timeout(.seconds(1.5))
      #expect(request.options.timeout == .milliseconds(1500))
    }
    try await client.load(.void(.post("/notes").json(["text": "Hello", "stars": 5])))
  }

  @Test @MainActor func `concurrency`() async throws {
    struct Account: Decodable {
      var name = ""
    }
    client.stub("/account", .json(#"{"name": "Mona"}"#))
    let screen = TitleScreen(client)

    let account: Account = try await client.load(.json(.get("/account")))
    screen.callBack(login)
    try await screen.start(login).value
    try await screen.show(login, client)

    #expect(account.name == "Mona")
    #expect(!screen.title.isEmpty)
  }

  @Test func `promises`() async throws {
    let printed =
      client.promise(for: .user(login))
      .then { user in client.promise(for: .user(user.login)) }
      .done { user in print(user.login) }

    #expect(try await printed.value.login == login)
  }

  @Test func `errors`() async throws {
    client.stub("*", .status(.notFound))
    let login = "nobody"

    do {
      let user = try await client.load(.user(login))
      print(user.login)
    } catch let error as LoadError where error.status == .notFound {
      print("There is no \(login).")
    }
    let error = await #expect(throws: LoadError.self) { try await client.load(.user(login)) }
    if let error { #expect(error.status == .notFound) }
  }
}
