import Foundation
import PromiseModule
import ResourceLoading
import ResourceState
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceInspector

@Suite(.inTurn, .timeLimit(.minutes(15))) @MainActor struct LiveTableTests {
  private let network = StubTransport()
  private let clock = ManualClock()

  private func live(_ options: LiveOptions = LiveOptions()) -> LiveResources {
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = network
      $0.clock = clock
    }
    return LiveResources(client, options: options, clock: clock)
  }

  private func resource(_ path: RequestPath) -> Resource<Int> { .json(.get(path), as: Int.self) }

  /// Waits for the end of a load.
  private func wait(_ live: LiveResources, _ resource: Resource<Int>) async {
    _ = try? await live.promise(of: resource).get()
  }

  @Test func `resources are shown with observers, staleness and what comes next`() async throws {
    network.stub("GET /fresh", .json("1"))
    network.stub("GET /broken", .json("x"))
    network.stub("GET /slow", .never)
    var options = LiveOptions()
    options.freshness = .duration(.seconds(60))
    options.interval = .seconds(30)
    let live = live(options)
    let observations = [
      live.observe(resource("/fresh")) { _ in }, live.observe(resource("/fresh")) { _ in },
      live.observe(resource("/broken")) { _ in }, live.observe(resource("/slow")) { _ in },
    ]
    await wait(live, resource("/fresh"))
    await wait(live, resource("/broken"))
    let idle = live.resource(resource("/idle"))

    let content = live.inspect(.at(Date()))

    #expect(
      content.column("Request") == ["GET /broken", "GET /fresh", "GET /slow", "GET /idle"])
    #expect(content.column("Type") == ["Int", "Int", "Int", "Int"])
    #expect(
      content.column("State") == ["no value", "fresh", "no value, loading", "no value"])
    #expect(content.column("Observers") == ["1", "2", "1", "0"])
    let updated = try seconds(content.column("Updated")[1])
    #expect(try seconds(content.column("Becomes stale")[1]) - updated == 60)
    #expect(try seconds(content.column("Next load")[1]) - updated == 30)
    #expect(content.column("Next load")[2] == "")
    #expect(content.column("Failure")[0].hasPrefix("parsing failed: "))
    #expect(content.note == "4 resources")
    withExtendedLifetime((observations, idle)) {}
  }

  private func seconds(_ date: String) throws -> Int { try #require(Int(date.dropFirst())) }

  @Test func `what is invalidated is stale, and what nobody observes says when it is released`()
    async throws
  {
    network.stub("GET /a", .json("1"))
    let live = live()
    await wait(live, resource("/a"))
    live.invalidate(resource("/a"))

    let content = live.inspect(.at(Date()))

    #expect(content.column("State") == ["stale"])
    #expect(content.column("Observers") == ["0"])
    #expect(content.column("Released").first?.hasPrefix("@") == true)
  }

  @Test func `showing resources doesn't observe or load them`() async throws {
    network.stub("*", .json("1"))
    let live = live()
    let resource = live.resource(resource("/a"))

    _ = live.inspect(.at(Date()))
    _ = live.inspect(.at(Date()))

    #expect(network.requests.isEmpty)
    withExtendedLifetime(resource) {}
  }

  @Test func `pages are shown, and secrets of requests are replaced`() async throws {
    network.stub("*", .json("[]"))
    let live = live()
    let request = Request.get("/a").query(["token": "hidden"])
    let pages = live.pages(
      of: .json(request, as: [Item].self), by: .page("page", from: 1, while: { _ in false }))
    await pages.loadNext()

    let content = live.inspect(.at(Date()))

    #expect(content.column("Request") == ["GET /a?token=<redacted>"])
    #expect(content.column("Type") == ["pages of Item"])
  }

  struct Item: Decodable, Identifiable, Sendable { var id: Int }
}
