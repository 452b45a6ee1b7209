import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceState
import ResourceTesting
import TestSupport
import Testing

struct Issue: Codable, Sendable, Equatable, Identifiable {
  let id: Int
  let title: String
}

struct User: Codable, Sendable, Equatable { let login: String }

extension Resource where R == [Issue] {
  static func issues(of project: String) -> Self {
    .json(.get("/projects/\(project)/issues"))
  }

  static func search(_ text: String) -> Self {
    .json(Request(.get, "/search", query: ["q": text]))
  }
}

extension Resource where R == Issue {
  static func createIssue(_ title: String) -> Self {
    .json(Request.post("/issues").json(["title": title]))
  }
}

extension Resource where R == User {
  static func user(_ login: String) -> Self { .json(.get("/users/\(login)")) }
}

extension Resource where R == [String] {
  static func repositories(of login: String) -> Self {
    .json(.get("/users/\(login)/repos"))
  }
}

/// The samples of the documentation, word for word; the last tests compare them.
@MainActor
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DocumentationTests {
  private let loader = StubLoader()
  private let clock = ManualClock()
  private let live: LiveResources
  private let draft = Issue(id: -1, title: "New")

  init() {
    loader.stub("/projects/*/issues", .json(#"[{"id": 1, "title": "Crash"}]"#))
    loader.stub("/search", .json(#"[{"id": 2, "title": "Hit"}]"#))
    loader.stub("POST /issues", .json(#"{"id": 7, "title": "New"}"#))
    loader.stub("/users/octocat", .json(#"{"login": "octocat"}"#))
    loader.stub("/users/octocat/repos", .json(#"["swift"]"#))
    live = LiveResources(loader, clock: clock)
  }

  private func wait(until condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test func `the landing page and the client`() {
    let url = URL(string: "https://api.example.org")

    let client = Client(baseURL: url) {
      $0.middleware = [CoalescingMiddleware(), HTTPCache(.memory()), RetryMiddleware()]
    }
    let live = LiveResources(client)
    let issues = live.resource(.issues(of: "swift"))

    #expect(issues === live.resource(.issues(of: "swift")))
  }

  @Test func `a view reads a live resource`() async {
    let view = IssueList(of: "swift", in: live)
    #expect(view.body.shown == "nothing, loading: false")

    await wait { view.body.shown == "Crash, loading: false" }
    await view.body.refresh()

    #expect(view.body.shown == "Crash, loading: false")
  }

  @Test func `the states of a list`() async {
    let issues = live.resource(.issues(of: "swift"))
    var shown: [String] = []
    func show(_ text: String) { shown.append(text) }

    for expected in ["Nothing yet", "1 issues, as of earlier"] {
      if let error = issues.error { show("\(error)") }
      switch issues.value {
      case let value?:
        show(issues.isStale ? "\(value.count) issues, as of earlier" : "\(value.count) issues")
      case nil: show(issues.isLoading ? "Loading…" : "Nothing yet")
      }
      #expect(shown.last == expected)
      await wait { issues.value != nil && !issues.isLoading }
    }
  }

  @Test func `a loop, a callback and a promise`() async throws {
    @MainActor final class Screen {
      var observation: LiveObservation?
      var issues: [Issue] = []
      func show(_ issues: [Issue]) { self.issues = issues }
      func observe(_ live: LiveResources) {
        observation = live.observe(.issues(of: "swift")) { [weak self] state in
          self?.show(state.value ?? [])
        }
      }
      func observeAsInSiesta(_ live: LiveResources) {
        // service.resource("/projects/swift/issues")
        //   .addObserver(owner: self) { [weak self] resource, _ in
        //     self?.show(resource.typedContent() ?? [])
        //   }
        //   .loadIfNeeded()
        observation = live.observe(.issues(of: "swift")) { [weak self] state in
          self?.show(state.value ?? [])
        }
      }
    }
    let screen = Screen()
    screen.observe(live)
    let (counts, counting) = AsyncStream.makeStream(of: Int.self)
    let following = Task { [live] in
      func show(_ count: Int) { counting.yield(count) }
      for await state in live.states(of: .issues(of: "swift")) {
        show(state.value?.count ?? 0)
      }
    }

    let issues = try await live.promise(of: .issues(of: "swift")).value

    #expect(issues.map(\.title) == ["Crash"])
    for await count in counts where count == 1 { break }
    await wait { screen.issues == issues }
    following.cancel()
  }

  @Test func `options, signals and invalidations`() async {
    var options = LiveOptions()
    options.freshness = .duration(.seconds(60))
    options.interval = .seconds(300)
    let issues = live.resource(.issues(of: "swift"), options: options, tags: ["issues"])
    await wait { issues.value != nil && !issues.isLoading }
    live.reload(on: LiveSignals.continued())
    #expect(!issues.isStale)

    live.invalidate(.issues(of: "swift"))
    live.invalidate(tag: "issues")
    live.invalidate(below: "/projects")

    #expect(issues.isStale)
  }

  @Test func `a socket reports changes`() async {
    let transport = StubTransport()
    transport.stub(
      "/changes", .socket(.send("swift")), .socket(.receive, .send("subscribed"), .send("changed")))
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
    }
    var options = LiveOptions()
    options.freshness = .duration(.seconds(60))
    let issues = live.resource(.issues(of: "swift"), options: options, tags: ["issues"])
    await wait { issues.value != nil && !issues.isLoading }
    var observation: LiveObservation?

    observation = live.follow(client.socket(.get("/changes"))) { message, live in
      guard case .text(let project) = message else { return }
      live.invalidate(.issues(of: project))
    }
    await wait { loader.requests.count > 1 }
    observation?.cancel()

    let messages = client.socket(.get("/changes")).messages { connection in
      try await connection.send("subscribe to issues")
      _ = try await connection.messages.first { _ in true }  // the server confirms it
    }
    observation = live.follow(messages, about: ["issues"]) { _, live in
      live.invalidate(tag: "issues")
    }
    await wait { transport.sockets.count == 2 && loader.requests.count > 2 }
    observation?.cancel()
  }

  @Test func `a write and changes without one`() async throws {
    let issues = live.resource(.issues(of: "swift"))
    await wait { issues.value != nil && !issues.isLoading }
    let (title, draft) = ("New", draft)

    try await live.send(.createIssue(title)) {
      $0.update(.issues(of: "swift")) { $0.insert(draft, at: 0) }
    } then: { changes, issue in
      changes.update(.issues(of: "swift")) { $0 = $0.map { $0.id == draft.id ? issue : $0 } }
    }
    #expect(issues.value?.map(\.id).contains(7) == true)

    live.update(.issues(of: "swift")) { $0.removeAll { $0.id == draft.id } }
    live.set(.issues(of: "swift"), to: [])

    #expect(issues.value == [])
  }

  @Test func `TanStack's mutation`() async throws {
    let issues = live.resource(.issues(of: "swift"))
    await wait { issues.value != nil && !issues.isLoading }

    // const queryClient = useQueryClient()
    // useMutation({
    //   mutationFn: createIssue,
    //   onMutate: (issue) => queryClient.setQueryData(key, (old) => [issue, ...old]),
    //   onError: (_, __, context) => queryClient.setQueryData(key, context.previous),
    //   onSettled: () => queryClient.invalidateQueries({ queryKey: key }),
    // })
    let issue = try await live.send(.createIssue(draft.title)) {
      $0.update(.issues(of: "swift")) { $0.insert(draft, at: 0) }
    }

    #expect(issue.id == 7)
  }

  @Test func `pages`() async {
    func show(_ count: Int) { #expect(count == 1) }

    let issues = live.pages(of: .issues(of: "swift"), by: .link, maximumPages: 20)
    await issues.loadNext()
    show(issues.elements.count)
  }

  @Test func `a dependent resource and a search`() async throws {
    let user = live.resource(.user("octocat"))
    let repositories = live.query(by: user, \.login) { .repositories(of: $0) }
    await wait { repositories.value == ["swift"] }

    let search = live.query(debounce: .milliseconds(300), keepsPrevious: true) { (text: String) in
      text.isEmpty ? nil : .search(text)
    }
    search.input = "swift"
    clock.advance(by: .milliseconds(300))

    await wait { search.value?.first?.title == "Hit" }
  }

  @Test func `signing out`() async throws {
    let cache = HTTPCache(.memory())
    live.set(.issues(of: "swift"), to: [draft])

    try await live.removeAll(with: cache)

    #expect(live.resource(.issues(of: "swift")).value == nil)
  }

  @Test func `a test with a stub and a manual clock`() async throws {
    let (loader, clock) = (StubLoader(), ManualClock())
    loader.stub("/projects/swift/issues", .json("[]"))
    let live = LiveResources(loader, clock: clock)

    #expect(try await live.promise(of: .issues(of: "swift")).value == [])
  }

  @Test func `every sample of the documentation is compiled`() throws {
    let here = URL(filePath: #filePath)
    let views = here.deletingLastPathComponent().appending(path: "DocumentedView.swift")
    let compiled = try [here, views].map {
      DocumentationSamples.trimmed(try String(contentsOf: $0, encoding: .utf8))
    }

    for sample in try DocumentationSamples.all(in: "Sources/ResourceState") {
      #expect(compiled.contains { $0.contains(sample) }, "not compiled:\n\(sample)")
    }
  }

  @Test func `the rows of the comparison are the names of the scenarios`() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let article = here.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources/ResourceState/ResourceState.docc/WhatIsPromised.md")
    let rows = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| behaviour") }
      .map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }
    let files = try FileManager.default.contentsOfDirectory(
      at: here.appending(path: "Scenarios"), includingPropertiesForKeys: nil)
    let scenarios = try files.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).matches(of: /func `([^`]+)`/)
        .map { String($0.1) }
    }

    #expect(Set(rows).symmetricDifference(scenarios) == [])
    #expect(rows.count == scenarios.count)
    #expect(rows.count >= 80)
  }
}
