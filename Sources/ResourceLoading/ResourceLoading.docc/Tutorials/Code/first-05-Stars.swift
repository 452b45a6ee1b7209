import Foundation
import ResourceLoading

@main
struct Stars {
  static func main() async throws {
    let github = Client(baseURL: "https://api.github.com") {
      $0.headers[.userAgent] = "stars/1.0"
      $0.middleware = [RetryMiddleware()]
      $0.options.timeout = .seconds(20)
    }
    let login = CommandLine.arguments.dropFirst().first ?? "octocat"
    for repository in try await github.load(.repositories(of: login)) {
      print(repository.stars, repository.name)
    }
  }
}
