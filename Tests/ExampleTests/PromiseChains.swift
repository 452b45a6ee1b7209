// Promise chains: a dashboard of several loads, some of which need the results of others.
//
// What it shows: loads one after another and in parallel, a substitute for a missing value, a
// retry, and cancelling the whole chain.

import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Testing

private struct Member: Decodable, Sendable {
  let login: String
  let team: Int
}

private struct Team: Decodable, Sendable { let name: String }

private struct Chore: Decodable, Sendable {
  let title: String
  let isDone: Bool
}

private struct Dashboard: Sendable, Equatable {
  let team: String
  let open: [String]
}

private struct Dashboards: Sendable {
  let loader: any Loader

  /// Loads the member first, because it has the team's number, and then the team and the chores in
  /// parallel.
  func dashboard(of login: String) -> Promise<Dashboard> {
    loader.promise(for: Resource<Member>(json: .get("/members/\(login)")))
      .then { member in Promise.all(team(member.team), chores(of: member)) }
      .map { result in
        let (team, chores) = result
        return Dashboard(team: team, open: chores.filter { !$0.isDone }.map(\.title))
      }
  }

  /// A missing team gets a substitute name. Other errors are passed on.
  private func team(_ number: Int) -> Promise<String> {
    loader.promise(for: Resource<Team>(json: .get("/teams/\(number)")))
      .map(\.name)
      .recover(from: LoadError.self) { error in
        guard error.status == .notFound else { throw error }
        return "former team \(number)"
      }
  }

  /// The chores, with a second attempt if the first one fails.
  private func chores(of member: Member) -> Promise<[Chore]> {
    Promise.retry(RetryPolicy(maximumAttempts: 2, backoff: .none)) { _ in
      loader.promise(for: Resource<[Chore]>(json: .get("/members/\(member.login)/chores")))
    }
  }
}

@Suite(.timeLimit(.minutes(15)))
struct PromiseExampleTests {
  private let loader = StubLoader()

  init() {
    loader.stub("/members/ada", .json(#"{"login": "ada", "team": 7}"#))
    loader.stub("/teams/7", .json(#"{"name": "Engines"}"#))
    loader.stub(
      "/members/ada/chores",
      .json(#"[{"title": "Notes", "isDone": false}, {"title": "Table", "isDone": true}]"#))
  }

  @Test func `a dashboard consists of three loads`() async throws {
    let dashboard = try await Dashboards(loader: loader).dashboard(of: "ada").value

    #expect(dashboard == Dashboard(team: "Engines", open: ["Notes"]))
    #expect(loader.requests.first?.url.path() == "/members/ada")
  }

  @Test func `a missing team isn't a failure, and chores get a second attempt`() async throws {
    loader.stub("/teams/7", .status(.notFound))
    loader.stub("/members/ada/chores", .status(503), .json("[]"))

    let dashboard = try await Dashboards(loader: loader).dashboard(of: "ada").value

    #expect(dashboard == Dashboard(team: "former team 7", open: []))
  }

  @Test func `the first error ends the chain and arrives in catch`() async {
    loader.stub("/teams/7", .status(403))
    let (errors, coming) = AsyncStream.makeStream(of: LoadError.self)

    Dashboards(loader: loader).dashboard(of: "ada")
      .done { dashboard in Issue.record("there is \(dashboard)") }
      .catch { error in if let error = error as? LoadError { coming.yield(error) } }
      .finally { coming.finish() }

    for await error in errors { #expect(error.status == 403) }
  }

  @Test func `cancelling the dashboard cancels its loads`() async {
    loader.stub("/members/ada", .never)
    let dashboard = Dashboards(loader: loader).dashboard(of: "ada")

    dashboard.cancel()

    await #expect(throws: CancellationError.self) { try await dashboard.value }
  }
}
