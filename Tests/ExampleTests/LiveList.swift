// Live resources: a list of issues that every screen shares.
//
// What it shows: one state per resource, a view model that follows it and isn't retained, a new
// issue that is shown before the server has it and removed if the server refuses it, a search
// during typing, and signing out.

import Foundation
import ResourceLoading
import ResourceState
import ResourceTesting
import Testing

private struct Issue: Codable, Sendable, Equatable, Identifiable {
  let id: Int
  let title: String
}

extension Resource where R == [Issue] {
  fileprivate static func issues(of project: String) -> Self {
    .json(.get("/projects/\(project)/issues"))
  }

  fileprivate static func search(_ text: String) -> Self {
    .json(Request(.get, "/search", query: ["q": text]))
  }
}

extension Resource where R == Issue {
  fileprivate static func createIssue(_ title: String, in project: String) -> Self {
    .json(Request.post("/projects/\(project)/issues").json(["title": title]))
  }
}

/// A screen with the issues of a project, which a view would read.
@MainActor
private final class IssueList {
  let issues: LiveResource<[Issue]>
  private let live: LiveResources
  private let project: String

  init(of project: String, in live: LiveResources) {
    self.live = live
    self.project = project
    issues = live.resource(.issues(of: project), tags: ["issues"])
  }

  var titles: [String] { (issues.value ?? []).map(\.title) }

  /// Shows the issue immediately, and removes it if the server refuses it.
  func create(_ title: String) async throws {
    let draft = Issue(id: -1, title: title)
    try await live.send(.createIssue(title, in: project)) { [project] in
      $0.update(.issues(of: project)) { $0.insert(draft, at: 0) }
    } then: { [project] changes, issue in
      changes.update(.issues(of: project)) { $0 = $0.map { $0.id == draft.id ? issue : $0 } }
    }
  }
}

/// A badge with the number of issues, as in UIKit.
@MainActor
private final class Badge {
  private(set) var text = ""
  private var observation: LiveObservation?

  init(of project: String, in live: LiveResources) {
    observation = live.observe(.issues(of: project), selecting: \.count) { [weak self] count in
      self?.text = "\(count)"
    }
  }
}

@MainActor
@Suite(.timeLimit(.minutes(15)))
struct LiveListExampleTests {
  private let loader = StubLoader()
  private let clock = ManualClock()
  private let path = "/projects/swift/issues"

  private func makeLive() -> LiveResources { LiveResources(loader, clock: clock) }

  private func wait(until condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test func `a list and a badge share one load`() async {
    loader.stub("GET \(path)", .json(#"[{"id": 1, "title": "Crash"}]"#))
    let live = makeLive()
    let (list, badge) = (IssueList(of: "swift", in: live), Badge(of: "swift", in: live))

    await wait { list.titles == ["Crash"] && badge.text == "1" }

    #expect(loader.requests.count { $0.options.cachePolicy != .cacheOnly } <= 1)
  }

  @Test func `a new issue is shown immediately, and later has the server's number`()
    async throws
  {
    let gate = Gate()
    loader.stub("GET \(path)", .json("[]"), .json(#"[{"id": 7, "title": "New"}]"#))
    loader.stub("POST \(path)", .json(#"{"id": 7, "title": "New"}"#).waiting(for: gate))
    let list = IssueList(of: "swift", in: makeLive())
    await wait { list.issues.value == [] }

    let creating = Task { try await list.create("New") }
    await wait { list.titles == ["New"] }
    #expect(list.issues.value?.first?.id == -1)
    gate.open()
    try await creating.value

    #expect(list.issues.value == [Issue(id: 7, title: "New")])
  }

  @Test func `an issue that the server refuses is removed`() async {
    loader.stub("GET \(path)", .json("[]"))
    loader.stub("POST \(path)", .response(status: 422))
    let list = IssueList(of: "swift", in: makeLive())
    await wait { list.issues.value == [] }

    await #expect(throws: LoadError.self) { try await list.create("New") }

    #expect(list.titles.isEmpty)
  }

  @Test func `pulling to refresh shows the server's current issues`() async {
    loader.stub(
      "GET \(path)", .json("[]"), .json(#"[{"id": 1, "title": "Crash"}]"#))
    let list = IssueList(of: "swift", in: makeLive())
    await wait { list.issues.value == [] }

    await list.issues.reload()

    #expect(list.titles == ["Crash"])
  }

  @Test func `a search loads when typing pauses, and keeps the earlier hits`() async throws {
    loader.stub("GET /search", .json(#"[{"id": 1, "title": "Crash"}]"#))
    let live = makeLive()
    let search = live.query(debounce: .milliseconds(300), keepsPrevious: true) { (text: String) in
      text.isEmpty ? nil : .search(text)
    }
    for text in ["c", "cr", "crash"] { search.input = text }
    try await clock.waitForSleepers(count: 1)
    #expect(loader.requests.isEmpty)

    clock.advance(by: .milliseconds(300))
    await wait { search.value?.first?.title == "Crash" }
    search.input = "crash on"

    #expect(search.value?.first?.title == "Crash")
  }

  @Test func `signing out clears every screen`() async {
    loader.stub("GET \(path)", .json(#"[{"id": 1, "title": "Crash"}]"#))
    let live = makeLive()
    let list = IssueList(of: "swift", in: live)
    await wait { list.titles == ["Crash"] }

    live.removeAll()

    #expect(list.titles.isEmpty)
  }

  @Test func `a removed badge isn't retained`() async {
    loader.stub("GET \(path)", .json("[]"))
    let live = makeLive()
    var badge: Badge? = Badge(of: "swift", in: live)
    weak let released = badge
    await wait { badge?.text == "0" }

    badge = nil

    #expect(released == nil)
  }
}
