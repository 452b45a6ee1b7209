// From an empty package to a tested view model: the samples of the article "Getting started", word
// for word.

import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Testing

struct User: Decodable, Sendable {
  let login: String
  let name: String?
}

extension Resource where R == User {
  static func user(_ login: String) -> Self { .json(.get("/users/\(login)")) }
}

/// Loads a user in each form.
@Sendable
func loadInEachForm(_ github: Client) async throws -> User {
  github.load(.user("octocat")) { result in print(result) }  // Result<User, any Error>

  github.promise(for: .user("octocat"))
    .map(\.login)
    .done { login in print(login) }

  let user = try await github.load(.user("octocat"))
  return user
}

func makeClient() -> Client {
  let github = Client(baseURL: "https://api.github.com") {
    $0.headers[.userAgent] = "hello/1.0"
  }
  return github
}

@MainActor
final class UserModel {
  private(set) var title = ""
  private let loader: any Loader

  init(loader: any Loader) { self.loader = loader }

  func show(_ login: String) async {
    title = "Loading…"
    do {
      let user = try await loader.load(.user(login))
      title = user.name ?? user.login
    } catch let error as LoadError where error.status == .notFound {
      title = "There is no \(login)."
    } catch {
      title = error.localizedDescription
    }
  }
}

@MainActor
struct UserModelTests {
  private let loader = StubLoader()

  @Test func `a name is shown`() async {
    loader.stub("/users/octocat", .json(#"{"login": "octocat", "name": "Mona"}"#))
    let model = UserModel(loader: loader)

    await model.show("octocat")

    #expect(model.title == "Mona")
  }

  @Test func `an unknown user has a message`() async {
    loader.stub("/users/nobody", .status(.notFound))
    let model = UserModel(loader: loader)

    await model.show("nobody")

    #expect(model.title == "There is no nobody.")
  }
}

@Suite(.timeLimit(.minutes(15)))
struct GettingStartedTests {
  @Test func `each form loads`() async throws {
    var configuration = makeClient().configuration
    let transport = StubTransport()
    transport.stub("GET /users/octocat", .json(#"{"login": "octocat"}"#))
    configuration.transport = transport

    let user = try await loadInEachForm(Client(configuration))

    #expect(user.login == "octocat")
    #expect(transport.requests.first?.headers[.userAgent] == "hello/1.0")
  }
}
