import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The samples of the documentation and of README, word for word. The last test compares them.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DocumentationTests {
  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /users/octocat") { _ in .json(#"{"login": "octocat"}"#) }
      LoopbackRoute("GET /repositories") { _ in .json(#"["a", "b"]"#) }
      LoopbackRoute("POST /notes") { request in
        .json(#"{"data": {"users": [{"login": \#(request.text.debugDescription)}]}}"#)
      }
    }
  }

  @Test func `describing`() async throws {
    let server = try makeServer()
    defer { server.stop() }
    let token = "t0ken"

    var request = Request(
      .post, url: server.url("/notes"), query: ["draft": "yes"],
      headers: [.authorization: "Bearer \(token)"], body: .json(["text": "Hello"]))
    request.options.timeout = .seconds(10)

    let users = Resource<[User]>(json: request, at: "data.users")
    let maybe = Resource<User?>(json: request)
    let text = Resource.text(request)
    let nothing = Resource.void(request)
    let size = Resource(url: server.url("/logo.png")) { data in data.count }
    let tag = Resource(request) { response in response.headers[.eTag] }

    #expect(try await URLSession.shared.load(users).map(\.login) == [#"{"text":"Hello"}"#])
    #expect(maybe.request.url == text.request.url && nothing.request.url == tag.request.url)
    #expect(size.request.url != tag.request.url)
  }

  @Test func `queries and parameters`() {
    let request = Request.get("dict").query(["q": "jeopardize"])
    let page: Int? = nil
    let parameters: Parameters = [
      "q": "jeopardize", "page": page, "tags": ["a", "b"], "filter": ["state": "open"],
    ]

    #expect(request.url.relativeString == "dict?q=jeopardize")
    let query = QueryItems(parameters, style: .init())
    #expect(query.encoded == "q=jeopardize&tags=a&tags=b&filter%5Bstate%5D=open")
  }

  @Test func `uploads`() {
    let photo = URL(filePath: "/photos/1.jpg")
    let upload: Multipart = [
      .field("title", "Sunrise"), .file("photo", photo, as: "image/jpeg"),
      .json("meta", ["rating": 5]),
    ]

    #expect(upload.parts.count == 3)
  }

  @Test func `chained changes, styles and bodies`() throws {
    let (text, user, password) = ("x", "a", "b")
    let sort: String? = nil
    let since = Date(timeIntervalSince1970: 5)
    let photo = URL(filePath: "/photos/1.jpg")

    let search = Request.get("search")
      .query(["q": text, "page": 2, "tags": ["a", "b"], "sort": sort])
      .accept(.json).header("X-Trace", "7").timeout(.seconds(5))

    var style = Parameters.Style()
    style.arrays = .commas
    style.dates = .secondsSince1970
    let filtered = Request.get("issues")
      .query(["since": since, "labels": ["bug", "help"]], style: style)

    let note = Request.post("notes").json(["text": text, "stars": 5])
    let login = Request.post("login").form(["user": user, "password": password])
    let picture = Request.put("picture").body(.file(photo, as: "image/jpeg"))
    let album = Request.post("albums").multipart([
      .field("title", "Summer"), .file("photo", photo, as: "image/jpeg"),
    ])

    #expect(search.url.relativeString == "search?q=x&page=2&tags=a&tags=b")
    #expect(filtered.url.relativeString == "issues?since=5&labels=bug,help")
    let sent = try #require(try note.body?.data())
    #expect(try JSONDecoder().decode(JSONValue.self, from: sent) == ["text": "x", "stars": 5])
    #expect(try login.body?.data() == Data("user=a&password=b".utf8))
    #expect(picture.body != nil && album.body != nil)
  }

  @Test func `results of operations`() {
    struct Root: Decodable { var user: User? }
    let operation = GraphQLOperation("{ user { login } }")

    let whole = Resource<User>.graphQL(operation, to: .post("graphql"), at: "user")
    let partial = Resource<GraphQLResponse<Root>>.graphQL(operation, to: .post("graphql"))

    #expect(whole.request == partial.request)
  }

  @Test func `pages and elements`() async throws {
    struct Timeline: Decodable { var nextCursor: String? }
    let timeline = Resource<Timeline>(json: .get("timeline"))
    let github = StubLoader()
    github.stub("*", .json("[]"))

    for try await user in github.pages(of: .users, by: .link).elements {
      print(user.login)
    }

    let byHeader = github.pages(of: .users, by: .link)
    let byCursor = github.pages(of: timeline, by: .cursor("after", \.nextCursor))
    let byNumber = github.pages(of: .users, by: .page("page"))
    let byOffset = github.pages(of: .users, by: .offset("start", from: 0))
    _ = (byHeader, byCursor, byNumber, byOffset)

    var options = PagingOptions()
    options.maximumPages = 10
    let few = github.pages(of: .users, by: .link, options: options)
    for try await page in few { #expect(page.isEmpty) }
  }

  @Test func `problems`() {
    let error = LoadError(.status, "x")
    func offerCredit(_ balance: Double?) {}

    if let problem = error.problem, problem.type.hasSuffix("/out-of-credit") {
      offerCredit(problem.extensions["balance"]?.double)
    }
  }

  @Test func `operations`() {
    let operation = GraphQLOperation(
      "query ($login: String!, $first: Int) { user(login: $login) { login } }",
      variables: ["login": "octocat", "first": 3])
    let user = Resource<User>.graphQL(operation, to: .post("graphql"), at: "user")

    #expect(user.request.method == .post)
  }

  @Test func `paging`() async throws {
    struct Feed: Sendable { var nextCursor: String? }
    let byLink = Pagination<[User]>.link
    let byCursor = Pagination<Feed>.cursor("after", \.nextCursor)
    let byNumber = Pagination<[User]>.page("page")
    _ = (byLink, byCursor, byNumber)
    let loader = StubLoader()
    loader.stub("*", .json("[]"))

    for try await users in loader.pages(of: .users, by: .link) {
      print(users.count)
    }

    #expect(loader.requests.count == 1)
  }

  @Test func `dates`() {
    let date = HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")

    #expect(date?.date.timeIntervalSince1970 == 784_111_777)
  }

  @Test func `paths`() {
    let login = "a/../b"
    let path: RequestPath = "/users/\(login)/repos"  // /users/a%2F..%2Fb/repos

    #expect(path.encoded == "/users/a%2F..%2Fb/repos")
  }

  @Test func `overview and callback`() async throws {
    let server = try makeServer()
    defer { server.stop() }

    let resource = Resource<User>(json: server.url("/users/octocat"))
    let user = try await URLSession.shared.load(resource)

    #expect(user.login == "octocat")
    let task = URLSession.shared.load(resource) { result in
      print(result)
    }
    task.cancel()
  }

  @Test func `promises and await`() async throws {
    let server = try makeServer()
    defer { server.stop() }
    let session = URLSession.shared
    let user = Resource<User>(json: server.url("/users/octocat"))
    @Sendable func repositories(of user: User) -> Resource<[String]> {
      .json(server.url("/repositories"))
    }

    let printed =
      session.promise(for: user)
      .then { session.promise(for: repositories(of: $0)) }
      .map(\.count)
      .done { print($0) }

    #expect(try await printed.get() == 2)
  }

  @Test func `await`() async throws {
    let server = try makeServer()
    defer { server.stop() }
    let session = URLSession.shared
    let resource = Resource<User>(json: server.url("/users/octocat"))

    let user = try await session.load(resource)

    #expect(user.login == "octocat")
  }

  @Test func `a URL and a parser`() throws {
    let server = try makeServer()
    let url = server.url("/users/octocat")

    withExtendedLifetime(server) {
      let task = URLSession.shared.load(url, parser: { data in data.count }) { result in
        print(result)
      }
      task.cancel()
    }
  }

  @Test func `batches`() async {
    let loader = StubLoader()
    loader.stub("*", .json("{}"))
    let feeds = [Resource.text(.get("/1")), .text(.get("/2"))]

    for await (index, result) in loader.loadAll(feeds, maximumConcurrency: 4) {
      print(index, result)
    }

    #expect(loader.requests.count == 2)
  }

  @Test func `errors`() async throws {
    let session = StubLoader()
    session.stub("*", .json(#"{"message": "gone"}"#, status: 404))
    let resource = Resource<User>(json: .get("/users/nobody"))
    func retryLater() {}
    func report(_ text: String) {}
    var user: User? = User(login: "x")

    do {
      user = try await session.load(resource)
    } catch is CancellationError {
      return
    } catch let error as LoadError {
      switch error.kind {
      case .status where error.status == .notFound: user = nil
      case .connection, .timedOut: retryLater()
      default: report(error.description)
      }
    }

    #expect(user == nil)
  }

  @Test func `statuses`() async throws {
    let session = StubLoader()
    session.stub("*", .status(.unauthorized))
    let resource = Resource<User>(json: .get("/users/octocat"))
    var (user, isAsked): (User?, Bool) = (nil, false)
    func signIn() { isAsked = true }

    do {
      user = try await session.load(resource)
    } catch let error as LoadError where error.status == .unauthorized {
      signIn()
    }

    #expect(user == nil && isAsked)
  }

  @Test func `every sample of the documentation is in these files`() throws {
    let compiled = DocumentationSamples.trimmed(
      try [
        "DocumentationTests", "DocumentedTypes", "DocumentedClients", "DocumentedMiddleware",
        "DocumentedTransfers", "DocumentedResources", "DocumentedComparisons",
        "DocumentedPublisher", "DocumentedSockets", "DocumentedMessages", "DocumentedService",
        "DocumentedXML",
        "../ExampleTests/GettingStarted", "../ExampleTests/Recipes",
        // What needs other packages.
        "../../Benchmarks/Sources/adapters/ServiceClient",
      ].map { name in
        let path = #filePath.replacing("DocumentationTests", with: name)
        return try String(contentsOfFile: path, encoding: .utf8)
      }.joined())

    let samples =
      try DocumentationSamples.all(in: "Sources/ResourceLoading")
      + DocumentationSamples.all(in: "README.md")

    #expect(samples.count >= 12)
    for sample in samples { #expect(compiled.contains(sample), "not compiled: \(sample)") }
  }

  @Test func `the first article lists all worked examples`() throws {
    let root = #filePath.replacing("/Tests/ResourceLoadingTests/DocumentationTests.swift", with: "")
    let article = "\(root)/Sources/ResourceLoading/ResourceLoading.docc/GettingStarted.md"
    let text = try String(contentsOfFile: article, encoding: .utf8)

    let listed = text.matches(of: /\| `(\w+\.swift)` \|/).map { String($0.1) }
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(root)/Tests/ExampleTests")

    #expect(listed.sorted() == files.filter { $0.hasSuffix(".swift") }.sorted())
  }

  @Test func `README, the manifest and the first article name the same system packages`() throws {
    let root = #filePath.replacing("/Tests/ResourceLoadingTests/DocumentationTests.swift", with: "")
    func packages(in path: String) throws -> Set<String> {
      let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
      return Set(text.matches(of: /[a-z0-9-]+-dev\b/).map { String($0.output) })
    }

    // Only the trait Valkey needs hiredis; its own article says so.
    let named = try packages(in: "Package.swift").subtracting(["libhiredis-dev"])

    #expect(try named == packages(in: "README.md"))
    #expect(
      try named
        == packages(in: "Sources/ResourceLoading/ResourceLoading.docc/GettingStarted.md"))
  }
}
