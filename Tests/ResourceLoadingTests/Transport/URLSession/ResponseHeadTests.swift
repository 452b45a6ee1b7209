import Foundation
import Testing

@testable import ResourceLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct ResponseHeadTests {
  @Test func `a head has the fields of the platform's public API, sorted by name`() throws {
    let url = try #require(URL(string: "http://localhost/"))
    let fields = ["Server": "s", "Content-Type": "text/plain", "Etag": "\"1\"", "Vary": "Accept"]
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 404, httpVersion: "HTTP/1.1", headerFields: fields))

    let head = ResponseHead(response)

    #expect(head.status == .notFound)
    #expect(head.headers.map(\.name.rawValue) == ["Content-Type", "Etag", "Server", "Vary"])
    #expect(head.headers.map(\.value) == ["text/plain", "\"1\"", "s", "Accept"])
  }

  @Test(
    arguments: [(" 5 ", 5), ("0", 0), ("+5", nil), ("-5", nil), ("5x", nil), ("", nil)]
      as [(String, Int?)])
  func `a length has only digits`(_ text: String, _ size: Int?) {
    #expect(ResponseHead(status: .ok, headers: [.contentLength: text]).bodySize == size)
  }
}
