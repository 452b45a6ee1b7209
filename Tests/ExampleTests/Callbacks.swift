// Callbacks only: a screen that isn't async shows a profile.
//
// What it shows: describing a resource once, callbacks on the main actor, cancelling a load that is
// no longer needed, and distinguishing errors.

import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Testing

private struct Profile: Decodable, Sendable {
  let login: String
  let name: String?
}

extension Resource where R == Profile {
  fileprivate static func profile(_ login: String) -> Self {
    .json(.get("/users/\(login)"))
  }
}

@MainActor
private final class ProfileScreen {
  private(set) var title = "" {
    didSet { titleDidChange(title) }
  }
  var titleDidChange: (String) -> Void = { _ in }

  private let loader: any Loader
  private var task: Task<Void, Never>?

  init(loader: any Loader) { self.loader = loader }

  /// Shows a profile. Cancels the load of the one before.
  func show(_ login: String) {
    task?.cancel()
    title = "Loading…"
    task = loader.load(.profile(login), on: .main) { [weak self] result in
      switch result {
      case .success(let profile): self?.title = profile.name ?? profile.login
      case .failure(let error): self?.show(error, of: login)
      }
    }
  }

  private func show(_ error: any Error, of login: String) {
    switch error {
    case is CancellationError: return
    case let error as LoadError where error.status == .notFound:
      title = "There is no \(login)."
    case let error as LoadError where error.kind == .connection: title = "You are offline."
    default: title = error.localizedDescription
    }
  }
}

@MainActor
@Suite(.timeLimit(.minutes(15)))
struct CallbackExampleTests {
  private let loader = StubLoader()

  /// The titles of a screen in order.
  private func titles(of screen: ProfileScreen) -> AsyncStream<String> {
    let (titles, coming) = AsyncStream.makeStream(of: String.self)
    screen.titleDidChange = { coming.yield($0) }
    return titles
  }

  @Test(arguments: [
    (StubAnswer.json(#"{"login": "octocat", "name": "Mona"}"#), "Mona"),
    (.json(#"{"login": "octocat", "name": null}"#), "octocat"),
    (.json(#"{"message": "Not Found"}"#, status: .notFound), "There is no octocat."),
    (.error(LoadError(.connection, "no network")), "You are offline."),
  ])
  func `the title describes the result`(_ answer: StubAnswer, _ title: String) async {
    loader.stub("/users/octocat", answer)
    let screen = ProfileScreen(loader: loader)
    var titles = titles(of: screen).makeAsyncIterator()

    screen.show("octocat")

    #expect(await titles.next() == "Loading…")
    #expect(await titles.next() == title)
  }

  @Test func `a cancelled profile isn't shown`() async {
    loader.stub("/users/slow", .never)
    loader.stub("/users/quick", .json(#"{"login": "quick"}"#))
    let screen = ProfileScreen(loader: loader)
    var titles = titles(of: screen).makeAsyncIterator()

    screen.show("slow")
    screen.show("quick")

    for title in ["Loading…", "Loading…", "quick"] { #expect(await titles.next() == title) }
  }
}
