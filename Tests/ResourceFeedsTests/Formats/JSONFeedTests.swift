import Foundation
import ResourceFeeds
import ResourceLoading
import TestSupport
import Testing

@Suite(.inTurn)
struct JSONFeedTests {
  @Test func `every member of a complete document is read`() throws {
    let feed = try Feed(
      document: """
        {
          "version": "https://jsonfeed.org/version/1.1", "title": "A\\nTitle",
          "home_page_url": "/blog/", "description": "About", "next_url": "feed?page=2",
          "authors": [{"name": "Ann"}, {"url": "https://b.example/"}],
          "items": [{
            "id": "1", "url": "post/1", "title": "One", "content_html": "<p>Hi</p>",
            "content_text": "Hi", "summary": "S", "date_published": "2026-11-20T05:10:00Z",
            "date_modified": "2026-11-20", "tags": ["x", "y"], "author": {"name": "Cy"},
            "attachments": [{"url": "/a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 9}]
          }]
        }
        """)

    var item = Feed.Item(id: "1", title: "One", link: URL(known: "https://example.org/blog/post/1"))
    item.authors = [Feed.Person(name: "Cy")]
    item.published = .unix(1_795_151_400)
    item.updated = .unix(1_795_132_800)
    item.content = Feed.Text(html: "<p>Hi</p>")
    item.summary = Feed.Text(plain: "S")
    item.categories = ["x", "y"]
    item.enclosures = [
      Feed.Enclosure(
        url: URL(known: "https://example.org/a.mp3"), mediaType: "audio/mpeg", length: 9)
    ]
    #expect(feed.title == "A Title")
    #expect(feed.link == URL(known: "https://example.org/blog/"))
    #expect(feed.summary == "About")
    #expect(feed.authors.map(\.displayName) == ["Ann", "https://b.example/"])
    #expect(feed.nextPage == URL(known: "https://example.org/blog/feed?page=2"))
    #expect(feed.items == [item])
  }

  @Test func `a broken field is left out without losing the feed`() throws {
    let feed = try Feed(
      document: """
        {
          "title": ["no"], "home_page_url": 5, "description": null, "authors": "Ann",
          "items": [
            {"id": 7, "title": {}, "url": "https://[", "date_published": "soon", "tags": ["x", 1],
             "attachments": [{"mime_type": "a/b"}, {"url": "/ok", "size_in_bytes": "big"}]},
            "nonsense",
            {"id": "2", "title": "Two", "date_published": 3}
          ]
        }
        """)

    #expect(feed.title == nil)
    #expect(feed.items.map(\.id) == ["7", "2"])
    #expect(feed.items.map(\.title) == [nil, "Two"])
    #expect(feed.items.map(\.date) == [nil, nil])
    #expect(feed.items[0].categories == ["x"])
    #expect(feed.items[0].enclosures == [Feed.Enclosure(url: URL(known: "https://example.org/ok"))])
  }

  @Test(arguments: ["", "{}", "[]", "{\"items\": 5}", "{\"items\": [", "plain text"])
  func `a document without a list of items isn't a feed`(_ document: String) {
    #expect(throws: (any Error).self) { try Feed(document: document) }
  }

  @Test func `the next page adds new items`() {
    let next = URL(known: "https://a.example/3")
    let first = Feed(title: "F", items: [Feed.Item(id: "1"), Feed.Item(title: "x")])
    let page = Feed(
      title: "other", items: [Feed.Item(id: "1"), Feed.Item(id: "2"), Feed.Item(title: "x")],
      nextPage: next)

    let feed = first.followed(by: page)

    #expect(feed.title == "F")
    #expect(feed.items.map(\.id) == ["1", nil, "2", nil])
    #expect(feed.nextPage == next)
  }

  @Test func `an id with an enormous exponent does no harm`() throws {
    let feed = try Feed(
      document: #"{"items": [{"id": 1e9223372036854775807, "title": "x"}, {"id": 1e2}]}"#)

    #expect(feed.items.map(\.title) == ["x", nil])
    #expect(feed.items.map(\.id).last == "100")
  }
}
