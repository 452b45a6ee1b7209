import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// The headers for later pages.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PageHeaderTests {
  @Test(arguments: [true, false])
  func `a page of another origin gets the headers that the client allows there`(
    byClient: Bool
  ) async throws {
    let transport = StubTransport()
    transport.stub("GET /n") { _ in
      .response(headers: [.link: "<https://other.example/m>; rel=next"], body: Data("[1]".utf8))
    }
    transport.stub("GET /m", .response(body: Data("[2]".utf8)))
    let client = Client(baseURL: URL(string: "https://h.example")) {
      $0.transport = transport
      if byClient { $0.options.crossOriginHeaders = ["X-Tenant"] }
    }
    var request = Request.get("n").header("X-Tenant", "7").header("X-Plain", "1")
      .header(.authorization, "Bearer s3cr3t-token")
    if !byClient { request.options.crossOriginHeaders = ["X-Tenant"] }
    var options = PagingOptions()
    options.allowsOtherOrigins = true

    var values: [Int] = []
    for try await page in client.pages(
      of: Resource<[Int]>(json: request), by: .link, options: options)
    { values += page }

    #expect(values == [1, 2])
    let second = try #require(transport.requests.last)
    #expect(second.url.absoluteString == "https://other.example/m")
    #expect(second.headers["X-Tenant"] == "7")
    #expect(second.headers["X-Plain"] == nil && second.headers[.authorization] == nil)
  }

  private func pages(
    _ links: [String: String], of request: Request, from client: (StubTransport) -> Client
  ) async throws -> [WireRequest] {
    let transport = StubTransport()
    transport.stub("*") { request in
      let link = links[request.url.path()].map { "<\($0)>; rel=next" }
      return .response(headers: link.map { [.link: $0] } ?? [:], body: Data("[1]".utf8))
    }
    var options = PagingOptions()
    options.allowsOtherOrigins = true
    for try await _ in client(transport).pages(
      of: Resource<[Int]>(json: request), by: .link, options: options)
    {}
    return transport.requests
  }

  @Test(arguments: [true, false])
  func `no secret is added to pages that another origin has chosen`(hasBase: Bool) async throws {
    let links = [
      "/1": "https://other.example/2", "/2": "https://other.example/3",
      "/3": "https://h.example/4",
    ]
    let requests = try await pages(links, of: .get("https://h.example/1")) { transport in
      Client(baseURL: hasBase ? URL(string: "https://octo:p@h.example") : nil) {
        $0.transport = transport
        $0.headers["X-Plain"] = "1"
        $0.query = ["key": "s3cr3t"]
        $0.middleware = [BearerAuthentication(token: "s3cr3t-token")]
        $0.sign = { request, _ in request.headers["X-Signature"] = "s3cr3t" }
      }
    }

    let added = requests.map { request in
      ["X-Plain", .authorization, "X-Signature"].map { request.headers[$0] != nil }
        + [request.url.query() != nil]
    }
    let (all, none) = ([true, true, true, true], [false, false, false, false])
    #expect(added == [all, none, none, none])
  }

  @Test(arguments: [true, false])
  func `user info is for all pages of its origin`(isOfBase: Bool) async throws {
    let links = [
      "/1": "/2", "/2": "https://h.example/3", "/3": "https://other.example/4",
      "/4": "https://other.example/5",
    ]
    let url = "https://octo:p%40ss@h.example"
    let request = isOfBase ? Request.get("1") : Request(url: try #require(URL(string: url + "/1")))
    let requests = try await pages(links, of: request) { transport in
      Client(baseURL: isOfBase ? URL(string: url) : nil) { $0.transport = transport }
    }

    let credential = "Basic " + Data("octo:p@ss".utf8).base64EncodedString()
    #expect(
      requests.map { $0.headers[.authorization] } == [credential, credential, credential, nil, nil])
    #expect(requests.allSatisfy { $0.url.user() == nil })
  }
}
