import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Samples of the article about other libraries.

private struct Answer: Decodable, Sendable { let login: String }

// enum Hub { case account(String), followers(String) }
// extension Hub: TargetType { var baseURL … var path … var method … var task … var headers … }
extension Resource where R == User {
  static func account(_ login: String) -> Self { .json(.get("/users/\(login)")) }
}

extension Resource where R == [User] {
  static func followers(of login: String) -> Self {
    .json(.get("/users/\(login)/followers"))
  }
}

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DocumentedComparisons {
  private func makeClient() -> (Client, StubTransport) {
    let transport = StubTransport()
    let client = Client(baseURL: "https://api.example.org") {
      $0.transport = transport
    }
    return (client, transport)
  }

  @Test func `URLSession's data and its decoder`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /user", .json(#"{"login": "octocat"}"#))
    }
    let url = server.url("/user")

    // var request = URLRequest(url: url)
    // request.setValue("application/json", forHTTPHeaderField: "Accept")
    // let (data, response) = try await URLSession.shared.data(for: request)
    // guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Failed() }
    // let user = try JSONDecoder().decode(User.self, from: data)
    let user = try await URLSession.shared.load(Resource<User>(json: url))

    #expect(user.login == "octocat")
    #expect(server.requests.first?.header("Accept")?.contains("application/json") == true)
  }

  @Test func `Alamofire's request`() async throws {
    let (client, transport) = makeClient()
    transport.stub("GET /get", .json(#"{"login": "octocat"}"#))

    // AF.request("https://httpbin.org/get", parameters: ["q": "swift"])
    //   .validate()
    //   .responseDecodable(of: Answer.self, queue: .main) { print($0.result) }
    let answer = Resource<Answer>(
      json: Request.get(URL(string: "https://httpbin.org/get")!).query(["q": "swift"]))
    client.load(answer, on: .main) { result in print(result) }

    #expect(try await client.load(answer).login == "octocat")
    #expect(transport.requests.last?.url.query() == "q=swift")
  }

  @Test func `Moya's provider, Get's client and PromiseKit's chain`() async throws {
    let (client, transport) = makeClient()
    transport.stub("GET /users/octocat", .json(#"{"login": "octocat"}"#))
    transport.stub("GET /users/octocat/followers", .json(#"[{"login": "a"}, {"login": "b"}]"#))

    // provider.request(.followers("octocat")) { result in … try response.map([User].self) … }
    let followers = try await client.load(.followers(of: "octocat"))

    // let request = Request<User>(path: "/users/octocat", query: [("full", "yes")])
    // let user = try await client.send(request).value
    let user = try await client.load(
      Resource<User>(json: Request.get("/users/octocat").query(["full": "yes"])))

    #expect(followers.map(\.login) == ["a", "b"] && user.login == "octocat")
    #expect(try await client.load(.account("octocat")).login == "octocat")
  }

  @Test func `PromiseKit's chain, and AsyncHTTPClient's request`() async throws {
    let (client, transport) = makeClient()
    transport.stub("GET /text", .response(body: Data("hello".utf8)))
    let url = URL(string: "https://api.example.org/text")!

    // firstly { URLSession.shared.dataTask(.promise, with: url).validate() }
    //   .map { try JSONDecoder().decode(User.self, from: $0.data) }
    //   .then { user in load(followersOf: user) }
    //   .done { show($0.count) }
    //   .catch { show($0) }
    client.promise(for: .user("octocat"))
      .then { client.promise(for: .followers(of: $0.login)) }
      .done { print($0.count) }
      .catch { print($0) }

    // let request = HTTPClientRequest(url: url)
    // let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    // guard response.status == .ok else { throw Failed() }
    // let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
    var page = Request.get(url).timeout(.seconds(30))
    page.options.maximumBodySize = 1 << 20
    let text = try await client.load(.text(page))

    #expect(text == "hello")
  }
}
