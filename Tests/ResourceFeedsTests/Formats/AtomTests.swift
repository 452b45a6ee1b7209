import Foundation
import ResourceFeeds
import TestSupport
import Testing

@Suite(.inTurn)
struct AtomTests {
  @Test func `Atom 1 is read with its kinds of text, its links and its bases`() throws {
    let feed = try Feed(
      document: """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.org/x/">
          <title type="html">A &amp;amp; &lt;i&gt;B&lt;/i&gt;</title><subtitle>1 &lt;b> 2</subtitle>
          <link rel="self" href="feed.atom"/><link href="."/><link rel="next" href="?p=2"/>
          <updated>2026-11-20T05:10:00Z</updated><author><name>Ann</name></author>
          <entry xml:base="y/">
            <id>urn:1</id>
            <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One <b>bold</b></div></title>
            <link rel="alternate" type="application/json" href="one.json"/>
            <link rel="alternate" type="text/html" href="one"/>
            <link rel="enclosure" type="audio/mpeg" length="12" href="/a.mp3"/>
            <published>2026-11-20T06:10:00+01:00</published><updated>2026-11-20</updated>
            <summary>short</summary><content type="html">&lt;p>long&lt;/p></content>
            <category term="x"/><category term="y" label="Why"/>
          </entry>
          <entry><title>2 &lt; 3</title><author><email>b@a.example</email></author></entry>
        </feed>
        """)

    #expect(feed.title == "A & B")
    #expect(feed.summary == "1 <b> 2")
    #expect(feed.link == URL(known: "https://example.org/x/"))
    #expect(feed.nextPage == URL(known: "https://example.org/x/?p=2"))
    #expect(feed.updated == .unix(1_795_151_400))
    var item = Feed.Item(
      id: "urn:1", title: "One bold", link: URL(known: "https://example.org/x/y/one"))
    item.authors = [Feed.Person(name: "Ann")]
    item.published = .unix(1_795_151_400)
    item.updated = .unix(1_795_132_800)
    item.content = Feed.Text(html: "<p>long</p>")
    item.summary = Feed.Text(plain: "short")
    item.categories = ["x", "Why"]
    item.enclosures = [
      Feed.Enclosure(
        url: URL(known: "https://example.org/a.mp3"), mediaType: "audio/mpeg", length: 12)
    ]
    item.links = [
      Feed.Link(url: URL(known: "https://example.org/x/y/one.json"), mediaType: "application/json"),
      Feed.Link(url: URL(known: "https://example.org/x/y/one"), mediaType: "text/html"),
      Feed.Link(
        url: URL(known: "https://example.org/a.mp3"), relation: "enclosure",
        mediaType: "audio/mpeg", length: 12),
    ]
    #expect(feed.links.map(\.relation) == ["self", "alternate", "next"])
    #expect(feed.items.first == item)
    #expect(feed.items.last?.title == "2 < 3")
    #expect(feed.items.last?.authors.map(\.displayName) == ["b@a.example"])
  }

  @Test func `Atom 0.3 is read`() throws {
    let feed = try Feed(
      document: """
        <feed version="0.3" xmlns="http://purl.org/atom/ns#"
          xmlns:dc="http://purl.org/dc/elements/1.1/">
          <title>T</title><tagline>About</tagline><modified>2026-11-20T05:10:00Z</modified>
          <link rel="alternate" type="text/html" href="https://a.example/"/>
          <entry>
            <title type="text/html" mode="escaped">&lt;b&gt;One&lt;/b&gt;</title>
            <link rel="alternate" type="text/html" href="https://a.example/1"/><id>urn:1</id>
            <issued>2026-11-20T05:10Z</issued><modified>2026-11-20</modified>
            <dc:subject>x</dc:subject><dc:creator>Ann</dc:creator>
            <content type="text/html" mode="base64">PHA+bG9uZzwvcD4=</content>
          </entry>
        </feed>
        """)

    #expect(feed.title == "T")
    #expect(feed.summary == "About")
    #expect(feed.updated == .unix(1_795_151_400))
    var item = Feed.Item(id: "urn:1", title: "One", link: URL(known: "https://a.example/1"))
    item.authors = [Feed.Person(name: "Ann")]
    item.published = .unix(1_795_151_400)
    item.updated = .unix(1_795_132_800)
    item.content = Feed.Text(html: "<p>long</p>")
    item.categories = ["x"]
    item.links = [Feed.Link(url: URL(known: "https://a.example/1"), mediaType: "text/html")]
    #expect(feed.items == [item])
  }

  @Test func `a broken field is left out without losing the feed`() throws {
    let feed = try Feed(
      document: """
        <feed xmlns="http://www.w3.org/2005/Atom"><title/><link/><updated>?</updated>
        <entry><title>One</title><published>soon</published><updated>2026-11-20</updated>
        <link href="http://["/><link rel="enclosure"/><category/></entry><entry/></feed>
        """)

    #expect(feed.title == nil)
    #expect(feed.items.map(\.title) == ["One", nil])
    #expect(feed.items.map(\.date) == [.unix(1_795_132_800), nil])
    #expect(feed.items[0].link == nil)
    #expect(feed.items[0].enclosures.isEmpty)
  }
}
