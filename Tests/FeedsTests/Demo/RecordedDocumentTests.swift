import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

/// The recorded documents, which are written as publishers write them.
@Suite(.inTurn)
struct RecordedDocumentTests {
  @Test(arguments: ["railway.rss", "recordings.atom", "harbour.json"])
  func `truncated and changed documents are errors at worst`(_ name: String) throws {
    let document = try #require(DemoDocuments.feeds.first { $0.name == name }).body
    var random = SeededGenerator(seed: 7)

    for end in stride(from: 0, to: document.count, by: 7) {
      #expect(throws: (any Error).self) { try Feed(parsing: document.prefix(end)) }
    }
    for _ in 0..<300 {
      var changed = document
      changed[Int.random(in: 0..<document.count, using: &random)] = .random(
        in: 0...255, using: &random)
      _ = try? Feed(parsing: changed)
    }
  }

  @Test(arguments: DemoDocuments.feeds.map(\.name))
  func `every recorded document is read whole`(_ name: String) throws {
    let document = try #require(DemoDocuments.feeds.first { $0.name == name })

    let url = URL(known: "https://example.org/feed")
    let feed = try Feed(
      Response(url: url, headers: [.contentType: document.mediaType], body: document.body))

    #expect(feed.title != nil)
    #expect(feed.items.count >= 2)
    #expect(feed.items.allSatisfy { $0.date != nil && $0.link != nil && $0.content != nil })
    #expect(feed.items.allSatisfy { $0.title != nil || $0.id == "299" })
  }
}
