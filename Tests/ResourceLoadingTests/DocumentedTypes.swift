import Foundation
import PromiseModule
import ResourceLoading

struct User: Decodable, Sendable { let login: String }

extension Resource where R == User {
  static func user(_ login: String) -> Self { .json(.get("/users/\(login)")) }
}

func startAllThreeForms() async throws -> User {
  let github = Client(baseURL: "https://api.github.com")

  let user = try await github.load(.user("octocat"))
  github.load(.user("octocat")) { result in print(result) }  // Result<User, any Error>
  github.promise(for: .user("octocat")).map(\.login).done { print($0) }
  return user
}

enum GitHub: Endpoint {
  case user(String)

  var resource: Resource<User> {
    switch self {
    case .user(let login): .json(.get("/users/\(login)"))
    }
  }
}

extension Resource where R == [User] {
  static var users: Self { .json(.get("/users")) }
}

struct Ticket: Decodable, Sendable { let title: String }

struct OpenTickets: Endpoint {
  struct Filter: Encodable { var labels: [String] }
  var filter: Filter

  var resource: Resource<[Ticket]> {
    .json(Request.get("/tickets").query(["state": "open"]).query(encoding: filter))
  }
}
