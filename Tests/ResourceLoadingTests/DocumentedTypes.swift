import Foundation
import PromiseModule
import ResourceLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct User: Decodable, Sendable { let login: String }

extension Resource where R == User {
  static func user(_ login: String) -> Self {
    .json(.get("https://api.github.com/users/\(login)"))
  }
}

func startAllThreeForms() async throws -> User {
  let session = URLSession.shared
  session.load(Resource.user("octocat")) { result in print(result) }  // Result<User, any Error>
  session.promise(for: Resource.user("octocat")).map(\.login).done { print($0) }
  let user: User = try await session.load(.user("octocat"))
  return user
}

enum GitHub: Endpoint {
  case user(String)

  var resource: Resource<User> {
    switch self {
    case .user(let login): Resource(json: .get("/users/\(login)"))
    }
  }
}

extension Resource where R == [User] {
  static var users: Self { Resource(json: .get("/users")) }
}

struct Ticket: Decodable, Sendable { let title: String }

struct OpenTickets: Endpoint {
  struct Filter: Encodable { var labels: [String] }
  var filter: Filter

  var resource: Resource<[Ticket]> {
    Resource(json: Request.get("/tickets").query(["state": "open"]).query(encoding: filter))
  }
}
