import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct FeedLoaderTests {
  private let sources = ["a", "b", "c"].map { name in
    FeedSource(name: name, url: URL(known: "https://example.org/").appending(path: name))
  }

  private func page(_ id: String, next: String? = nil) -> StubAnswer {
    let next = next.map { #", "next_url": "\#($0)""# } ?? ""
    return .json(#"{"title": "T", "items": [{"id": "\#(id)"}]\#(next)}"#)
  }

  @Test func `one failure doesn't stop the others, and sources keep their order`() async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1"))
    loader.stub("/b", .response(status: 503))
    loader.stub("/c", page("3"))
    var reported: Set<String> = []

    let feeds = try await FeedLoader(loader: loader, arguments: Arguments())
      .load(sources) { reported.insert($0.source.name) }

    #expect(feeds.map(\.source.name) == ["a", "b", "c"])
    #expect(feeds.map { $0.feed?.items.count } == [1, nil, 1])
    #expect((feeds[1].failure as? LoadError)?.kind == .status)
    #expect(reported == ["a", "b", "c"])
  }

  @Test func `pages are followed until there are enough items`() async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1", next: "/a2"))
    loader.stub("/a2", page("2", next: "/a3"))
    loader.stub("/a3", page("3"))
    var arguments = Arguments()
    arguments.limit = 2

    let feeds = try await FeedLoader(loader: loader, arguments: arguments)
      .load([sources[0]]) { _ in }

    #expect(feeds[0].feed?.items.map(\.id) == ["1", "2"])
    #expect(loader.requests.map { $0.url.path() } == ["/a", "/a2"])
  }

  @Test(arguments: [
    "http://127.0.0.1:1/2", "https://other.example/2", "http://example.org/2", "file:///etc/passwd",
  ])
  func `no feed makes its reader send requests to another origin`(_ next: String) async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1", next: next))

    let feeds = try await FeedLoader(loader: loader, arguments: Arguments())
      .load([sources[0]]) { _ in }

    #expect(feeds[0].feed?.items.map(\.id) == ["1"])
    #expect(feeds[0].failure == nil)
    #expect(loader.requests.count == 1)
  }

  @Test func `a next page that redirects to another origin isn't followed`() async throws {
    let other = try LoopbackServer { LoopbackRoute("GET /", .json(#"{"items": [{"id": "2"}]}"#)) }
    let server = try LoopbackServer {
      LoopbackRoute("GET /a", .json(#"{"next_url": "/2", "items": [{"id": "1"}]}"#))
      LoopbackRoute(
        "GET /2", .response(status: 302, headers: ["Location": other.url("/").absoluteString]))
    }
    defer { other.stop() }
    defer { server.stop() }

    let feeds = try await FeedLoader(loader: Client { _ in }, arguments: Arguments())
      .load([FeedSource(server.url("/a"))]) { _ in }

    #expect(feeds[0].feed?.items.map(\.id) == ["1"])
    #expect(feeds[0].failure != nil)
    #expect(other.requests.isEmpty)
  }

  @Test func `a page that fails keeps the pages before it`() async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1", next: "/a2"))
    loader.stub("/a2", page("2", next: "/a3"))
    loader.stub("/a3", .response(status: 500))

    let feeds = try await FeedLoader(loader: loader, arguments: Arguments())
      .load([sources[0]]) { _ in }

    #expect(feeds[0].feed?.items.map(\.id) == ["1", "2"])
    #expect((feeds[0].failure as? LoadError)?.kind == .status)
  }

  @Test func `at most five pages are followed`() async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1", next: "/a"))

    let feeds = try await FeedLoader(loader: loader, arguments: Arguments())
      .load([sources[0]]) { _ in }

    #expect(feeds[0].feed?.items.count == 1)
    #expect(loader.requests.count == 5)
  }

  @Test func `a notice that arrives too late is left out`() async throws {
    let gate = Gate()
    let loader = StubLoader()
    loader.stub("/late", .response(body: Data("late".utf8)).waiting(for: gate))
    let notice = Notice()

    notice.start(URL(known: "https://example.org/late"), over: loader)
    try await gate.waitForArrivals(count: 1)

    #expect(notice.finish() == nil)
  }
}
