import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PageGuardTests {
  private func makeClient(_ link: @escaping @Sendable (URL) -> String) -> (Client, StubTransport) {
    let transport = StubTransport()
    transport.stub("*") { request in
      .response(headers: [.link: "<\(link(request.url))>; rel=next"], body: Data("[1]".utf8))
    }
    let client = Client(baseURL: URL(string: "https://h.example/api")) { $0.transport = transport }
    return (client, transport)
  }

  private let request = Request.get("n").header(.authorization, "Bearer s3cr3t-token")
    .header("X-Plain", "1")

  private func run(
    _ client: Client, _ options: PagingOptions = .init()
  ) async -> (pages: Int, error: LoadError?) {
    var count = 0
    do {
      let resource = Resource<[Int]>(json: request)
      for try await _ in client.pages(of: resource, by: .link, options: options) { count += 1 }
      return (count, nil)
    } catch {
      return (count, error as? LoadError)
    }
  }

  @Test(arguments: [
    ("?", 2), ("/api/n", 1), ("https://H.example:443/api/n", 2), ("/api/n?page=2", 2), ("", 1),
  ])
  func `the same request again is an error`(_ link: String, _ pages: Int) async {
    let (client, transport) = makeClient { _ in link }

    let (count, error) = await run(client)

    #expect(error?.kind == .paging)
    #expect(error?.reason.contains("already loaded") == true)
    #expect(count == pages && transport.requests.count == pages)
  }

  @Test func `a loop of several pages is detected`() async {
    let (client, transport) = makeClient { url in url.query() == "b" ? "?a" : "?b" }

    let (count, error) = await run(client)

    #expect(error?.kind == .paging && count == 3 && transport.requests.count == 3)
  }

  @Test(arguments: [
    "https://evil.example/n", "//evil.example/", "http://h.example/n", "https://h.example:8443/n",
    "https://h.example.evil.example/", "https://h.example@evil.example/", "ftp://h.example/",
  ])
  func `no page is requested from another origin unless it is allowed`(_ link: String) async {
    let (client, transport) = makeClient { _ in link }

    let (count, error) = await run(client)

    #expect(error?.kind == .paging && count == 1)
    #expect(error?.reason.contains("another origin") == true)
    #expect(error?.description.contains("s3cr3t-token") == false)
    #expect(transport.requests.count == 1)
  }

  @Test func `an allowed origin gets no credentials and no http after https`() async {
    let (client, transport) = makeClient { url in
      url.host() == "h.example" ? "https://other.example/n" : "http://third.example/n"
    }
    var options = PagingOptions()
    options.allowsOtherOrigins = true

    let (count, error) = await run(client, options)

    #expect(count == 2 && error?.reason.contains("isn't at https") == true)
    #expect(transport.requests.map { $0.url.host() } == ["h.example", "other.example"])
    #expect(transport.requests.first?.headers[.authorization] != nil)
    #expect(transport.requests.last?.headers[.authorization] == nil)
    #expect(transport.requests.last?.headers["X-Plain"] == nil)
  }

  @Test func `a redirect doesn't make another origin the home of the next page`() async {
    let transport = StubTransport()
    transport.stub(
      "GET /api/n", .response(status: 302, headers: [.location: "https://other.example/m"]))
    transport.stub("*", .response(headers: [.link: "</m?2>; rel=next"], body: Data("[1]".utf8)))
    let client = Client(baseURL: URL(string: "https://h.example/api")) { $0.transport = transport }

    let (count, error) = await run(client)

    #expect(count == 1 && error?.reason.contains("another origin") == true)
    #expect(transport.requests.count == 2)
  }
}
