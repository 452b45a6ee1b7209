import Foundation
import ResourceFeeds
import ResourceLoading
import TestSupport
import Testing

@Suite(.inTurn)
struct RSSTests {
  @Test func `RSS 2 is read with the modules that feeds use`() throws {
    let feed = try Feed(
      document: """
        <?xml version="1.0"?>
        <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:a="http://www.w3.org/2005/Atom"
          xmlns:c="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">
        <channel>
          <a:link rel="self" href="http://other.example/"/><a:link rel="next" href="feed?page=2"/>
          <title>A &amp;amp; B</title><link> https://a.example/ </link>
          <description>About</description>
          <managingEditor>ann@a.example (Ann)</managingEditor>
          <lastBuildDate>Fri, 20 Nov 2026 05:10:00 GMT</lastBuildDate>
          <item>
            <media:title>not this</media:title><title>One &lt;b&gt;bold&lt;/b&gt; 1 &lt; 2</title>
            <link>/one</link><guid isPermaLink="false">g1</guid>
            <pubDate>Fri, 20 Nov 26 00:10 EST</pubDate>
            <author>b@a.example (Bea)</author><dc:creator>Cy</dc:creator>
            <description>short</description><c:encoded><![CDATA[<p>long</p>]]></c:encoded>
            <category>x</category><category domain="d"> y </category><dc:subject>z</dc:subject>
            <enclosure url="/a.mp3" length="12" type="audio/mpeg"/>
            <media:group>
              <media:content url="/b.mp4" fileSize="9" type="video/mp4"/>
              <media:content url="/a.mp3"/>
            </media:group>
          </item>
        </channel></rss>
        """)

    #expect(feed.title == "A & B")
    #expect(feed.link == URL(known: "https://a.example/"))
    #expect(feed.summary == "About")
    #expect(feed.authors.map(\.displayName) == ["Ann"])
    #expect(feed.updated == .unix(1_795_151_400))
    #expect(feed.nextPage == URL(known: "https://example.org/blog/feed?page=2"))
    var item = Feed.Item(
      id: "g1", title: "One bold 1 < 2", link: URL(known: "https://example.org/one"))
    item.authors = [Feed.Person(name: "Bea", email: "b@a.example")]
    item.published = .unix(1_795_151_400)
    item.content = Feed.Text(html: "<p>long</p>")
    item.summary = Feed.Text(html: "short")
    item.categories = ["x", "y", "z"]
    item.enclosures = [
      Feed.Enclosure(
        url: URL(known: "https://example.org/a.mp3"), mediaType: "audio/mpeg", length: 12),
      Feed.Enclosure(
        url: URL(known: "https://example.org/b.mp4"), mediaType: "video/mp4", length: 9),
    ]
    #expect(feed.items == [item])
  }

  @Test(arguments: [
    // Netscape's 0.91 with its document type, which is never fetched.
    """
    <?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
     "http://my.netscape.com/publish/formats/rss-0.91.dtd">
    <rss version="0.91"><channel><title>T</title><link>https://a.example/</link>
    <item><title>One</title><link>https://a.example/1</link></item></channel></rss>
    """,
    "<rss version='0.92'><channel><title>T</title><link>https://a.example/</link>"
      + "<item><description>x</description><title>One</title><link>https://a.example/1</link>"
      + "</item></channel></rss>",
    """
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
     xmlns="http://my.netscape.com/rdf/simple/0.9/">
    <channel><title>T</title><link>https://a.example/</link></channel>
    <image><title>I</title></image>
    <item><title>One</title><link>https://a.example/1</link></item></rdf:RDF>
    """,
    """
    <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://purl.org/rss/1.0/">
    <s:channel r:about="x"><s:title>T</s:title><s:link>https://a.example/</s:link></s:channel>
    <s:item r:about="https://a.example/1"><s:title>One</s:title>
    <s:link>https://a.example/1</s:link></s:item></r:RDF>
    """,
    // Items beside the channel without a namespace, and names in capitals.
    "<RSS version='2.0'><Channel><Title>T</Title><LINK>https://a.example/</LINK></Channel>"
      + "<item><title>One</title><guid>https://a.example/1</guid></item></RSS>",
    // White space before the declaration, and an undeclared prefix.
    "\n <?xml version='1.0'?><rss><channel><title>T</title><atom:link rel='alternate' "
      + "href='https://a.example/'/><item><title>One</title><media:title>No</media:title>"
      + "<link>https://a.example/1</link></item></channel></rss>",
  ])
  func `every version of RSS is read`(_ document: String) throws {
    let feed = try Feed(document: document)

    #expect(feed.title == "T")
    #expect(feed.link == URL(known: "https://a.example/"))
    #expect(feed.items.map(\.title) == ["One"])
    #expect(feed.items.map(\.link) == [URL(known: "https://a.example/1")])
  }

  @Test func `RSS 1 has ids, dates and people from its modules`() throws {
    let feed = try Feed(
      document: """
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
          xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="c"><title>T</title><dc:date>2026-11</dc:date></channel>
        <item rdf:about="urn:1"><dc:title>One</dc:title><dc:date>2026-11-20T06:10+01:00</dc:date>
          <dc:creator>Ann</dc:creator><dc:creator>Ben</dc:creator></item></rdf:RDF>
        """)

    #expect(feed.updated == .unix(1_793_491_200))
    let item = try #require(feed.items.first)
    #expect(item.id == "urn:1")
    #expect(item.title == "One")
    #expect(item.published == .unix(1_795_151_400))
    #expect(item.authors.map(\.displayName) == ["Ann", "Ben"])
  }

  @Test func `a broken field is left out without losing the feed`() throws {
    let feed = try Feed(
      document: """
        <rss><channel><title/><link>http://[</link><pubDate>never</pubDate>
        <item><title>One</title><pubDate>soon</pubDate><link/><guid>no link</guid>
          <enclosure length="5"/><enclosure url="/ok" length="big"/><category/></item>
        <item/>
        <item><title>Two</title><pubDate>20 Nov 2026</pubDate></item>
        </channel></rss>
        """)

    #expect(feed.title == nil)
    #expect(feed.link == nil)
    #expect(feed.items.map(\.title) == ["One", nil, "Two"])
    #expect(feed.items.map(\.date) == [nil, nil, .unix(1_795_132_800)])
    #expect(feed.items[0].link == nil)
    #expect(feed.items[0].categories.isEmpty)
    #expect(feed.items[0].enclosures == [Feed.Enclosure(url: URL(known: "https://example.org/ok"))])
  }

  @Test(arguments: [
    ("<description>d</description>", "d", "d"),
    ("<content:encoded>c</content:encoded>", "c", nil),
    ("<content:encoded>c</content:encoded><description>d</description>", "c", "d"),
    ("<content:encoded/><description>d</description>", "d", "d"),
    ("<itunes:summary>s</itunes:summary>", "s", "s"),
    ("", nil, nil),
  ])
  func `content falls back to the summary`(
    _ elements: String, _ content: String?, _ summary: String?
  ) throws {
    let feed = try Feed(
      document: """
        <rss xmlns:content="http://purl.org/rss/1.0/modules/content/"
          xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
        <channel><item>\(elements)</item></channel></rss>
        """)

    #expect(feed.items.map(\.content?.html) == [content])
    #expect(feed.items.map(\.summary?.html) == [summary])
  }

  @Test func `namespaces are recognised in the variations that publishers use`() throws {
    let feed = try Feed(
      document: """
        <rss xmlns:c="https://purl.org/rss/1.0/modules/content" xmlns:m="http://search.yahoo.com/mrss"
          xmlns:i="http://www.itunes.com/DTDs/Podcast-1.0.dtd"><channel><item>
        <c:encoded>long</c:encoded><i:author>Ann</i:author><m:content url="/a.mp3"/>
        <link>/a%20b?q=ü c</link></item></channel></rss>
        """)

    let item = try #require(feed.items.first)
    #expect(item.content?.html == "long")
    #expect(item.authors.map(\.displayName) == ["Ann"])
    #expect(item.enclosures.map(\.url) == [URL(known: "https://example.org/a.mp3")])
    #expect(item.link?.absoluteString == "https://example.org/a%20b?q=%C3%BC%20c")
  }
}

struct RSS11Tests {
  private static let document = """
    <?xml version="1.0" encoding="utf-8"?>
    <Channel xmlns="http://purl.org/net/rss1.1#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        xmlns:p="http://purl.org/net/rss1.1/payload#" rdf:about="http://a.example/rss">
      <title>A channel</title>
      <link>http://a.example/</link>
      <description>About</description>
      <image rdf:parseType="Resource"><title>An image</title><url>http://a.example/i.png</url></image>
      <items rdf:parseType="Collection">
        <item rdf:about="http://a.example/1">
          <title>One</title><link>http://a.example/1</link><description>First</description>
          <p:payload rdf:parseType="Literal"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hi</p></div></p:payload>
        </item>
        <item rdf:about="http://a.example/2"><title>Two</title><link>http://a.example/2</link></item>
      </items>
    </Channel>
    """

  @Test func `a channel of RSS 1_1 has its items in a list`() throws {
    let feed = try Feed(document: Self.document)

    #expect(feed.title == "A channel")
    #expect(feed.link == URL(known: "http://a.example/"))
    #expect(feed.summary == "About")
    #expect(feed.items.map(\.title) == ["One", "Two"])
    #expect(feed.items.map(\.id) == ["http://a.example/1", "http://a.example/2"])
    #expect(feed.items.first?.content?.html == "<p>Hi</p>")
    #expect(feed.items.first?.summary?.plainText == "First")
  }

  @Test
  func `a channel of RSS 1_1 may have no items, and any other channel without items isn't a feed`()
    throws
  {
    let empty = try Feed(
      document: "<Channel xmlns='http://purl.org/net/rss1.1#'><title>T</title><items/></Channel>")

    #expect(empty.title == "T")
    #expect(empty.items.isEmpty)
    #expect(throws: LoadError.self) { try Feed(document: "<channel><name>5</name></channel>") }
  }
}
