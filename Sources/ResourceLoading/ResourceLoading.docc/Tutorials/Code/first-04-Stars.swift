import Foundation
import ResourceLoading

@main
struct Stars {
  static func main() async throws {
    let github = Client(baseURL: "https://api.github.com")
    let login = CommandLine.arguments.dropFirst().first ?? "octocat"
    for repository in try await github.load(.repositories(of: login)) {
      print(repository.stars, repository.name)
    }
  }
}
