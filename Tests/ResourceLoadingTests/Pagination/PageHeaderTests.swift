import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// The headers for a page of another origin.
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
}
