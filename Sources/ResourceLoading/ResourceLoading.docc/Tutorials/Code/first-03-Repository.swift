import Foundation
import ResourceLoading

struct Repository: Decodable, Sendable {
  let name: String
  let stars: Int

  enum CodingKeys: String, CodingKey {
    case name
    case stars = "stargazers_count"
  }
}

extension Resource where R == [Repository] {
  static func repositories(of login: String) -> Self {
    .json(Request.get("/users/\(login)/repos").query(["per_page": 100]))
  }
}
