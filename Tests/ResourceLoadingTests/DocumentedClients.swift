import Foundation
import ResourceLoading

// Samples of the documentation of clients and middleware.

struct Stopwatch: Middleware {
  func respond(to request: Request, next: Next) async throws -> Response {
    let start = ContinuousClock.now
    defer { print(request.url, start.duration(to: .now)) }
    return try await next(request)
  }
}

func loadWithClient() async throws -> User {
  let github = Client(baseURL: URL(string: "https://api.github.com")!) {
    $0.headers[.userAgent] = "octo/1.0"
    $0.options.timeout = .seconds(30)
  }
  let user = try await github.load(.user("octocat"))
  return user
}

func explain(_ github: Client) async throws {
  print(try await github.dryRun(.user("octocat")))
}
