import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct FeedsRunTests {
  private let feeds = ["a", "b", "c"].map { name in
    let url = URL(known: "https://example.org/").appending(path: name)
    return KeptFeed(url: url, title: name, added: .unix(0))
  }
  private let library: Library
  private let errors = Recorder()

  init() async throws { library = try await Library(Library.memory) }

  private func load(
    _ feeds: [KeptFeed], limit: Int = 20, over loader: any Loader
  ) async throws -> [FeedResult] {
    try await run { $0.limit = limit }.load(feeds, over: loader)
  }

  private func run(_ change: (inout Arguments) -> Void = { _ in }) -> FeedsRun {
    var arguments = Arguments()
    change(&arguments)
    return FeedsRun(
      library: library, arguments: arguments, now: .unix(0), output: Recorder().channel(),
      errors: errors.channel())
  }

  private var ids: [String] {
    get async throws {
      let feeds = try await library.feeds()
      return try await library.items(of: feeds, limit: 20).map(\.identity)
    }
  }

  private func page(_ id: String, next: String? = nil) -> StubAnswer {
    let next = next.map { #", "next_url": "\#($0)""# } ?? ""
    return .json(#"{"title": "T", "items": [{"id": "\#(id)"}]\#(next)}"#)
  }

  @Test func `one failure doesn't stop the others, and feeds keep their order`() async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1"))
    loader.stub("/b", .response(status: 503))
    loader.stub("/c", page("3"))

    let results = try await load(feeds, over: loader)

    #expect(results.map(\.feed.url) == feeds.map(\.url))
    #expect(results.map(\.feed.name) == ["T", "b", "T"])
    #expect(results.map(\.change) == [.init(new: 1), nil, .init(new: 1)])
    #expect(results[1].failure?.kind == .status)
    let lines = Set(errors.lines.map { $0.drop { $0 != " " } })
    #expect(lines == [" T: 1 item", " b: failed", ""])
  }

  @Test func `pages are followed until there are enough items`() async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1", next: "/a2"))
    loader.stub("/a2", page("2", next: "/a3"))
    loader.stub("/a3", page("3"))

    let results = try await load([feeds[0]], limit: 2, over: loader)

    #expect(results[0].change == .init(new: 2))
    #expect(try await ids == ["1", "2"])
    #expect(loader.requests.map { $0.url.path() } == ["/a", "/a2"])
  }

  @Test(arguments: [
    "http://127.0.0.1:1/2", "https://other.example/2", "http://example.org/2", "file:///etc/passwd",
  ])
  func `a feed can't cause requests to another origin`(_ next: String) async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1", next: next))

    let results = try await load([feeds[0]], over: loader)

    #expect(results[0].change != nil && results[0].failure == nil)
    #expect(try await ids == ["1"])
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

    let feed = KeptFeed(url: server.url("/a"), added: .unix(0))
    let results = try await load([feed], over: Client { _ in })

    #expect(try await ids == ["1"])
    #expect(results[0].failure != nil)
    #expect(other.requests.isEmpty)
  }

  @Test func `a redirect of a feed to another origin is followed`() async throws {
    let new = try LoopbackServer {
      LoopbackRoute("GET /a", .json(#"{"next_url": "/2", "items": [{"id": "1"}]}"#))
      LoopbackRoute("GET /2", .json(#"{"items": [{"id": "2"}]}"#))
    }
    let old = try LoopbackServer {
      LoopbackRoute("GET /a", .redirect(to: new.url("/a").absoluteString, status: 301))
    }
    defer { new.stop() }
    defer { old.stop() }

    let feed = KeptFeed(url: old.url("/a"), added: .unix(0))
    let results = try await load([feed], over: Client { _ in })

    #expect(results[0].change != nil && results[0].failure == nil)
    #expect(try await ids == ["1", "2"])
  }

  @Test func `a page that fails keeps the pages before it`() async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1", next: "/a2"))
    loader.stub("/a2", page("2", next: "/a3"))
    loader.stub("/a3", .response(status: 500))

    let results = try await load([feeds[0]], over: loader)

    #expect(results[0].change == .init(new: 2))
    #expect(try await ids == ["1", "2"])
    #expect(results[0].failure?.kind == .status)
  }

  @Test func `at most five pages are followed`() async throws {
    let loader = StubLoader()
    loader.stub("/a", page("0", next: "/1"))
    for number in 1...9 { loader.stub("/\(number)", page("\(number)", next: "/\(number + 1)")) }

    let results = try await load([feeds[0]], over: loader)

    #expect(results[0].change == .init(new: 5))
    #expect(loader.requests.count == 5)
  }

  @Test func `pages in a loop end without a failure`() async throws {
    let loader = StubLoader()
    loader.stub("/a", page("1", next: "/b"))
    loader.stub("/b", page("2", next: "/b"))

    let results = try await load([feeds[0]], over: loader)

    #expect(results[0].change != nil && results[0].failure == nil)
    #expect(try await ids == ["1", "2"])
    #expect(loader.requests.count == 2)
  }
}
