import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Routers, request structs and factories, loaded through one protocol.
@Suite(.inTurn)
struct EndpointTests {
  private enum Service: Endpoint {
    case user(String)
    case absolute(URL)

    static let base = URL(string: "http://h.example/api/?key=1")

    var resource: Resource<User> {
      Resource(json: base.map(request.below) ?? request)
    }

    private var base: URL? { Self.base }

    private var request: Request {
      switch self {
      case .user(let login): .get("/users/\(login)")
      case .absolute(let url): .get(url)
      }
    }
  }

  @Test func `a router with a base of its own loads with any loader`() async throws {
    let loader = StubLoader()
    loader.stub("/api/users/a%2Fb", .json(#"{"login": "a/b"}"#))

    let user = try await loader.load(Service.user("a/b"))

    #expect(user.login == "a/b")
    let request = try #require(loader.requests.first)
    #expect(request.url.absoluteString == "http://h.example/api/users/a%2Fb?key=1")
  }

  @Test func `an absolute URL stays unchanged`() throws {
    let url = try #require(URL(string: "http://other.example/x"))

    #expect(Service.absolute(url).resource.request.url == url)
  }

  @Test(arguments: ["../x", "/a/../../x"])
  func `a path that leaves the base URL isn't appended to it`(_ path: String) throws {
    let base = try #require(URL(string: "http://h.example/api"))
    let request = Request.get(RequestPath(path))

    #expect(request.below(base) == request)
    #expect(try Request.get("x").below(#require(URL(string: "relative"))) == .get("x"))
  }

  @Test func `a request struct has its values and its query`() async throws {
    let loader = StubLoader()
    loader.stub("/tickets", .json(#"[{"title": "One"}]"#))

    let tickets = try await loader.load(OpenTickets(filter: .init(labels: ["a b", "c"])))

    #expect(tickets.map(\.title) == ["One"])
    #expect(loader.requests.first?.url.query() == "state=open&labels=a%20b&labels=c")
  }

  @Test func `a resource's parser can be replaced`() async throws {
    let loader = StubLoader()
    loader.stub("*", .json(#"{"data": {"user": {"login": "x"}}}"#))
    var resource = Resource<User>(json: .get("me"), at: "data.user")
    let read = resource.parser
    resource.parser = { response in User(login: try read(response).login.uppercased()) }
    let exchanged = resource

    #expect(try await loader.load(exchanged).login == "X")
  }
}
