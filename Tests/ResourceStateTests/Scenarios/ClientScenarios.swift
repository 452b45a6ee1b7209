import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceTesting
import Testing

@testable import ResourceState

/// A client with middleware in place of the scripted loader.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct ClientScenarios {
  private struct Numbered: Identifiable, Sendable {
    let id: Int
  }

  private let transport = StubTransport()
  private let clock = ManualClock()

  private func client(_ middleware: any Middleware...) -> Client {
    Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
      $0.middleware = middleware
      $0.clock = clock
    }
  }

  private func answer(_ text: String, _ headers: Headers) -> StubAnswer {
    .response(headers: headers, body: Data(text.utf8))
  }

  private func wait(until condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test func `a load that the client retries is one load`() async throws {
    transport.stub("/a", .status(503), answer("1", [.cacheControl: "max-age=60"]))
    let live = LiveResources(client(RetryMiddleware()), clock: clock)
    let resource = live.resource(.a)
    _ = resource.value
    try await clock.waitForSleepers(count: 1, within: .seconds(30))
    #expect(resource.isLoading && resource.error == nil)
    await wait {
      clock.advanceToNextDeadline()
      return resource.value == "1"
    }

    #expect(resource.error == nil)
  }

  @Test func `the stored value is there after a restart, without a network`() async {
    let storage = MemoryResponseStorage()
    transport.stub("/a", answer("1", [.cacheControl: "max-age=0", "ETag": "\"1\""]))
    do {
      let live = LiveResources(client(HTTPCache(storage)), clock: clock)
      let value = try? await live.promise(of: .a).value
      #expect(value == "1")
    }
    transport.stub("/a", .error(LoadError(.connection, "no network")))

    let live = LiveResources(client(HTTPCache(storage)), clock: clock)
    let resource = live.resource(.a)
    _ = resource.value
    await wait { resource.error != nil }

    #expect(resource.value == "1")
    #expect(resource.isStale)
  }

  @Test func `a response that isn't modified changes nothing but the date`() async {
    let headers: Headers = [.cacheControl: "max-age=0", "ETag": "\"1\""]
    transport.stub("/a") { request in
      request.headers["If-None-Match"] == nil
        ? .response(headers: headers, body: Data("1".utf8))
        : .response(status: 304, headers: headers)
    }
    let live = LiveResources(client(HTTPCache(.memory())), clock: clock)
    let resource = live.resource(.a)
    _ = resource.value
    await wait { resource.value == "1" }
    let values = ChangeCounter { _ = resource.value }

    await resource.reload()

    #expect(transport.requests.count == 2)
    #expect(values.count == 0)
    #expect(resource.value == "1" && resource.error == nil)
  }

  /// Pages of one element each, whose number is the body.
  private func cachedPages(_ live: LiveResources) -> LivePages<Numbered> {
    let resource = Resource<[Numbered]>(.get("/items")) { response in
      [Numbered(id: Int(String(decoding: response.body, as: UTF8.self)) ?? 0)]
    }
    return live.pages(of: resource, by: .link)
  }

  @Test func `a reload of pages asks the server although they are fresh`() async {
    let fresh: Headers = [.cacheControl: "max-age=1000"]
    transport.stub("/items", answer("1", fresh), answer("2", fresh), answer("3", fresh))
    let live = LiveResources(client(HTTPCache(.memory())), clock: clock)
    let pages = cachedPages(live)
    await pages.loadNext()
    #expect(pages.elements.map(\.id) == [1])

    await pages.reload()
    #expect(pages.elements.map(\.id) == [2])
    live.invalidate(below: "/items")
    await pages.reload()
    #expect(pages.elements.map(\.id) == [3] && !pages.isStale)
  }

  @Test func `pages that were invalidated before they were live aren't read from the cache`()
    async
  {
    let fresh: Headers = [.cacheControl: "max-age=1000"]
    transport.stub("/items", answer("1", fresh), answer("2", fresh))
    let client = client(HTTPCache(.memory()))
    await cachedPages(LiveResources(client, clock: clock)).loadNext()
    let live = LiveResources(client, clock: clock)
    live.invalidate(below: "/items")

    let pages = cachedPages(live)
    await pages.loadNext()

    #expect(pages.elements.map(\.id) == [2])
  }

  @Test func `signing out empties the cache, too`() async throws {
    let cache = HTTPCache(.memory())
    transport.stub("/a", answer("1", [.cacheControl: "max-age=1000"]))
    let live = LiveResources(client(cache), clock: clock)
    _ = try await live.promise(of: .a).value

    try await live.removeAll(with: cache)
    transport.stub("/a", answer("2", [.cacheControl: "max-age=1000"]))

    #expect(try await live.promise(of: .a).value == "2")
  }
}
