import Foundation
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PagesTests {
  private struct Feed: Decodable {
    var items: [Int]
    var next: String?
  }

  /// A service with the numbers 0..<5, two on each page.
  private func makeClient(headers: Headers = [:]) -> (Client, StubTransport) {
    let transport = StubTransport()
    transport.stub("*") { request in
      let query = QueryItems(encoded: request.url.query(percentEncoded: true) ?? "")
      let start =
        query["offset"].flatMap { Int($0) } ?? query["page"].flatMap { Int($0) }.map { 2 * $0 - 2 }
        ?? query["after"].flatMap { Int($0) } ?? 0
      let items = Array((0..<5).dropFirst(start).prefix(2))
      let next = start + 2 < 5 ? "\(start + 2)" : nil
      if request.url.path() == "/feed" {
        let cursor = next.map { ", \"next\": \"\($0)\"" } ?? ""
        return .json("{\"items\": \(items)\(cursor)}")
      }
      let link =
        next.map { "<?offset=\($0)&x=%2f>; rel=\"next\"; title=\"a, b\"" } ?? "</>; rel=first"
      return .response(headers: [.link: link], body: Data("\(items)".utf8))
    }
    let client = Client(baseURL: URL(string: "http://h.example")) { $0.transport = transport }
    return (client, transport)
  }

  private func numbers(_ path: RequestPath, _ query: QueryItems = [:]) -> Resource<[Int]> {
    .json(.get(path).query(query))
  }

  private func collect<S: AsyncSequence>(_ sequence: S) async throws -> [S.Element] {
    var all: [S.Element] = []
    for try await element in sequence { all.append(element) }
    return all
  }

  @Test(arguments: [true, false])
  func `the Link header has the next page`(_ readsAhead: Bool) async throws {
    let (client, transport) = makeClient()
    var options = PagingOptions()
    options.readsAhead = readsAhead

    let pages = try await collect(client.pages(of: numbers("numbers"), by: .link, options: options))

    #expect(pages == [[0, 1], [2, 3], [4]])
    #expect(
      transport.requests.map(\.url.absoluteString) == [
        "http://h.example/numbers", "http://h.example/numbers?offset=2&x=%2f",
        "http://h.example/numbers?offset=4&x=%2f",
      ])
  }

  @Test func `a cursor in the body becomes a query item`() async throws {
    let (client, transport) = makeClient()
    let feed = Resource<Feed>(json: .get("feed").query(["size": 2]))

    let pages = client.pages(of: feed, by: .cursor("after", \.next))
    let items = try await collect(pages.elements(\.items))

    #expect(items == [0, 1, 2, 3, 4])
    #expect(
      transport.requests.map { $0.url.query() } == ["size=2", "size=2&after=2", "size=2&after=4"])
  }

  @Test func `a function can set the cursor`() async throws {
    let (client, _) = makeClient()
    let feed = Resource<Feed>(json: .get("feed"))

    let pages = client.pages(of: feed, by: .cursor(\.next) { $0.query["after"] = $1 })

    #expect(try await collect(pages).map(\.items) == [[0, 1], [2, 3], [4]])
  }

  @Test(arguments: [
    (Pagination<[Int]>.page("page"), ["page=1", "page=2", "page=3", "page=4"]),
    (.page("page", while: { $0.count == 2 }), ["page=1", "page=2", "page=3"]),
    (.offset("offset"), ["offset=0", "offset=2", "offset=4", "offset=5"]),
    (.offset("offset", from: 3), ["offset=3", "offset=5"]),
    (
      .offset("offset", count: { $0.count / 2 }),
      ["offset=0", "offset=1", "offset=2", "offset=3", "offset=4"]
    ),
  ])
  func `numbers and offsets are incremented`(
    _ pagination: Pagination<[Int]>, _ expected: [String]
  ) async throws {
    let (client, transport) = makeClient()

    _ = try await collect(client.pages(of: numbers("numbers"), by: pagination))

    #expect(transport.requests.map { $0.url.query() } == expected)
  }

  @Test func `counting begins with the request's number`() async throws {
    let (client, transport) = makeClient()
    let url = try #require(URL(string: "http://h.example/numbers?page=2&x=%2f"))

    let pages = client.pages(of: Resource<[Int]>(json: .get(url)), by: .page("page"))

    #expect(try await collect(pages.elements) == [2, 3, 4])
    let queries = transport.requests.map { $0.url.query() }
    #expect(queries == ["page=2&x=%2f", "page=3&x=%2f", "page=4&x=%2f"])
  }

  @Test func `a custom pagination gets the page, its request and its response`() async throws {
    let (client, _) = makeClient()
    let ownWay = Pagination<[Int]>.following { page in
      #expect(page.response?.headers[.link] != nil && page.response?.body.isEmpty == true)
      guard let last = page.value.last, last < 4 else { return nil }
      return page.request.changed { $0.query["offset"] = "\(last + 1)" }
    }

    #expect(try await collect(client.pages(of: numbers("n"), by: ownWay)).count == 3)
  }

  @Test(arguments: [(0, 0), (1, 1), (2, 2), (9, 3)])
  func `a limit applies to pages that are read ahead, too`(_ limit: Int, _ expected: Int)
    async throws
  {
    let (client, transport) = makeClient()
    var options = PagingOptions()
    options.maximumPages = limit

    let pages = try await collect(client.pages(of: numbers("n"), by: .link, options: options))

    #expect(pages.count == expected && transport.requests.count == expected)
  }

  @Test func `nothing is loaded before the iteration, and each iteration loads again`()
    async throws
  {
    let (client, transport) = makeClient()
    let pages = client.pages(of: numbers("n"), by: .link)
    #expect(transport.requests.isEmpty)

    let first = try await collect(pages)

    #expect(try await collect(pages) == first)
    #expect(transport.requests.count == 6)
  }

  @Test func `a page that fails ends the sequence with its error`() async throws {
    let loader = StubLoader()
    loader.stub("*", .json("[1]"), .json("{}", status: 503), .json("[]"))
    var iterator = loader.pages(of: numbers("n"), by: .page("page")).makeAsyncIterator()

    #expect(try await iterator.next() == [1])
    let error = await #expect(throws: LoadError.self) { try await iterator.next() }
    #expect(error?.response?.status.rawValue == 503)
    #expect(try await iterator.next() == nil)
  }

  @Test func `an error of the pagination comes after the page`() async throws {
    struct Oops: Error {}
    let loader = StubLoader()
    loader.stub("*", .json("[1]"))
    let pages = loader.pages(of: numbers("n"), by: .following { _ in throw Oops() })
    var iterator = pages.makeAsyncIterator()

    #expect(try await iterator.next() == [1])
    let error = await #expect(throws: LoadError.self) { try await iterator.next() }
    #expect(error?.kind == .paging && error?.underlying is Oops)
  }

  @Test func `stubbed values can be pages`() async throws {
    let loader = StubLoader()
    loader.stub("*", .value([1, 2]), .value([3]), .value([Int]()))

    #expect(
      try await collect(loader.pages(of: numbers("n"), by: .page("p")).elements) == [1, 2, 3])
    #expect(try await collect(loader.pages(of: numbers("n"), by: .link)) == [[]])
  }
}
