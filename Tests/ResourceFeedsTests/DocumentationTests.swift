import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// The samples of the documentation, word for word.
@Suite(.inTurn)
struct DocumentationTests {
  private let url = URL(known: "https://example.org/feed")
  private let client = StubLoader()

  @Test func `the sample on the landing page loads a feed`() async throws {
    client.stub("/feed", .json(#"{"title": "T", "items": [{"id": "1"}]}"#))

    let resource = Resource<Feed>.feed(url)

    let feed = try await client.load(resource)
    for item in feed.items {
      print(item.title ?? "(without a title)", item.link?.absoluteString ?? "")
    }
    #expect(feed.title == "T")
    #expect(client.requests.first?.headers[.accept]?.contains("application/atom+xml") == true)
    #expect(try await client.load(.feed(.get("/feed"))).title == "T")
    #expect(try await client.load(.feed(url)).title == "T")
  }

  @Test func `the article's samples read a feed and its pages`() async throws {
    let data = Data(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><link rel="next" href="2?page=2"/>
      <entry><id>1</id><content type="html">&lt;p>Hi</content></entry></feed>
      """.utf8)
    client.stub("/feed", .response(body: data))
    client.stub("/2", .json(#"{"items": [{"id": "1"}, {"id": "2"}]}"#))

    let feed = try Feed(parsing: data, from: url)
    let newest = feed.items.first
    let text = newest?.content?.plainText

    var options = PagingOptions()
    options.maximumPages = 5
    var whole: Feed?
    for try await page in client.pages(of: .feed(url), by: .nextPage, options: options) {
      whole = whole?.followed(by: page) ?? page
    }

    #expect(text == "Hi")
    #expect(whole?.items.map(\.id) == ["1", "2"])
    #expect(client.requests.map(\.url.absoluteString).last == "https://example.org/2?page=2")
    #expect(client.requests.map(\.options.redirects) == [nil, .never])
    #expect(client.requests.last?.headers[.accept] == client.requests.first?.headers[.accept])
  }

  @Test func `the sample on recognising items lists unknown items`() {
    let feed = Feed(items: [Feed.Item(id: "1"), Feed.Item(id: "2"), Feed.Item(id: "2")])
    var known: Set<Feed.ItemIdentity> = [Feed.ItemIdentity(rawValue: "1")]

    for (identity, item) in feed.identifiedItems where known.insert(identity).inserted {
      print("new:", item.title ?? "(without a title)")
    }

    #expect(known.count == 2)
  }

  @Test func `every sample is in this file`() throws {
    let tests = try String(contentsOfFile: #filePath, encoding: .utf8)

    for sample in try DocumentationSamples.all(in: "Sources/ResourceFeeds") {
      #expect(DocumentationSamples.trimmed(tests).contains(sample), "\(sample)")
    }
  }
}
