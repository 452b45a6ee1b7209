import Foundation
import ResourceFeeds
import ResourceLoading
import TestSupport
import Testing

@testable import feeds

/// The recorded documents, in the form in which publishers write them.
@Suite(.inTurn)
struct DemoDocumentsTests {
  @Test(arguments: DemoDocuments.feeds.map(\.name))
  func `every recorded document is read completely`(_ name: String) throws {
    let document = try #require(DemoDocuments.feeds.first { $0.name == name })

    let url = URL(known: "https://example.org/feed")
    let feed = try Feed(
      Response(url: url, headers: [.contentType: document.mediaType], body: document.body))

    #expect(feed.title != nil)
    #expect(feed.items.count >= 2)
    #expect(feed.items.allSatisfy { $0.date != nil && $0.link != nil && $0.title != nil })
  }
}
