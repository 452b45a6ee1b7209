// A router enum for a REST API: GitHub's, or a similar one.
//
// What it shows: endpoints as cases, routes with several result types, a client with base URL and
// defaults, pages that follow the Link header, the server's own message and its error type in
// errors, and samples beside the routes. The responses are written by hand from the API's
// documentation.

import Foundation
import ResourceLoading
import ResourceTesting
import Testing

private struct Account: Decodable, Sendable, Equatable {
  let login: String
  let publicRepos: Int
}

private struct Repository: Decodable, Sendable, Equatable {
  let fullName: String
  let stargazersCount: Int
}

/// The routes with one response.
private enum Accounts: Endpoint {
  case account(String)
  case signedIn

  var resource: Resource<Account> {
    switch self {
    case .account(let login): .json(.get("/users/\(login)"))
    case .signedIn: .json(.get("/user"))
    }
  }
}

/// The routes with pages.
private enum Repositories: Endpoint {
  case of(String, perPage: Int = 100)
  case starred(by: String)

  var resource: Resource<[Repository]> {
    switch self {
    case .of(let login, let size):
      .json(Request.get("/users/\(login)/repos").query(["per_page": size]))
    case .starred(let login): .json(.get("/users/\(login)/starred"))
    }
  }
}

// A router enum has one result type, unless its callers pass the type with each load, as Moya's do
// with `map(_:)`. Routes with different types are static factories. Completion finds them in the
// same place, `github.load(.…)`. Their samples correspond to Moya's `sampleData`.

extension Resource where R == Account {
  fileprivate static func account(_ login: String) -> Self {
    .json(.get("/users/\(login)")).sample(#"{"login": "octocat", "public_repos": 8}"#)
  }
}

extension Resource where R == [Repository] {
  fileprivate static func repositories(of login: String) -> Self {
    .json(.get("/users/\(login)/repos?sort=updated"))
      .sample(#"[{"full_name": "octocat/hello-world", "stargazers_count": 3}]"#)
  }
}

extension Resource where R == Void {
  fileprivate static func star(_ repository: Repository) -> Self {
    .void(.put(RequestPath("/user/starred/" + repository.fullName)))
      .sample(SampleResponse(status: .noContent))
  }
}

/// GitHub's own description of an error.
private struct GitHubError: Decodable, Sendable {
  let message: String
  let documentationUrl: URL?
}

extension Client.Configuration {
  /// The settings of every request to GitHub.
  fileprivate mutating func useGitHub() {
    baseURL = URL(string: "https://api.github.com")
    headers = ["X-GitHub-Api-Version": "2022-11-28", .userAgent: "example"]
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    errorBody = .json(GitHubError.self)
    middleware = [RetryMiddleware()]
  }
}

@Suite(.timeLimit(.minutes(15)))
struct RouterExampleTests {
  private let transport = StubTransport()
  private let github: Client

  init() {
    github = Client { [transport] in
      $0.useGitHub()
      $0.transport = transport
    }
  }

  @Test func `a case loads its value`() async throws {
    transport.stub("GET /users/octocat", .json(#"{"login": "octocat", "public_repos": 8}"#))

    let account = try await github.load(Accounts.account("octocat"))

    #expect(account == Account(login: "octocat", publicRepos: 8))
    #expect(transport.requests.first?.headers["X-GitHub-Api-Version"] == "2022-11-28")
  }

  @Test func `repositories load page by page while there is a next link`() async throws {
    transport.stub("GET /users/octocat/repos") { request in
      let isFirst = request.url.query()?.contains("page=2") != true
      let next = #"<https://api.github.com/users/octocat/repos?per_page=1&page=2>; rel="next""#
      let name = isFirst ? "hello-world" : "spoon-knife"
      return .response(
        headers: isFirst ? [.link: next] : [:],
        body: Data(#"[{"full_name": "octocat/\#(name)", "stargazers_count": 3}]"#.utf8))
    }

    var names: [String] = []
    let first = Repositories.of("octocat", perPage: 1).resource
    for try await page in github.pages(of: first, by: .link) {
      names += page.map(\.fullName)
    }

    #expect(names == ["octocat/hello-world", "octocat/spoon-knife"])
  }

  @Test func `an error has the server's message, and permanent failures aren't retried`() async {
    transport.stub(
      "GET /users/nobody",
      .json(
        #"{"message": "Not Found", "documentation_url": "https://docs.github.com/rest"}"#,
        status: .notFound))

    let error = await #expect(throws: LoadError.self) {
      try await github.load(Accounts.account("nobody"))
    }

    #expect(error?.kind == .status)
    #expect(error?.serverMessage == "Not Found")
    let own = error?.errorBody(as: GitHubError.self)
    #expect(own?.documentationUrl == URL(string: "https://docs.github.com/rest"))
    #expect(error?.description.contains("https://api.github.com/users/nobody") == true)
    #expect(transport.requests.count == 1)
  }

  @Test func `each route has its own type and a sample that can be parsed`() async throws {
    let preview = SampleLoader(decoder: github.configuration.decoder)

    let account = try await preview.load(.account("octocat"))
    let repositories = try await preview.load(.repositories(of: account.login))
    for repository in repositories { try await preview.load(.star(repository)) }

    #expect(account.publicRepos == 8)
    #expect(repositories.map(\.fullName) == ["octocat/hello-world"])
  }

  @Test func `the same routes load over the network`() async throws {
    transport.stub("GET /users/octocat/repos", .json("[]"))
    transport.stub("PUT /user/starred/octocat/hello-world", .status(.noContent))

    let repositories = try await github.load(.repositories(of: "octocat"))
    try await github.load(.star(Repository(fullName: "octocat/hello-world", stargazersCount: 3)))

    #expect(repositories.isEmpty)
    #expect(
      transport.requests.map(\.url.absoluteString) == [
        "https://api.github.com/users/octocat/repos?sort=updated",
        "https://api.github.com/user/starred/octocat/hello-world",
      ])
  }

  @Test func `a login can't leave its place in the path`() async throws {
    transport.stub("*", .json(#"{"login": "x", "public_repos": 0}"#))

    _ = try await github.load(Accounts.account("../orgs/x?a=b"))

    #expect(
      transport.requests.first?.url.absoluteString
        == "https://api.github.com/users/..%2Forgs%2Fx%3Fa%3Db")
  }
}
