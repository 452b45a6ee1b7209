import Foundation
import ResourceFeeds
import TestSupport
import Testing

/// Where else feeds have what belongs in an element that they lack.
@Suite(.inTurn)
struct FallbackTests {
  private func rss(_ item: String, channel: String = "") throws -> Feed {
    try Feed(
      document: """
        <rss xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
          xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom"
          xmlns:xhtml="http://www.w3.org/1999/xhtml"><channel>\(channel)<item>\(item)</item></channel></rss>
        """)
  }

  private func entry(_ entry: String, version: String = "http://www.w3.org/2005/Atom") throws
    -> Feed.Item
  {
    let feed = try Feed(document: "<feed xmlns='\(version)'><entry>\(entry)</entry></feed>")
    return try #require(feed.items.first)
  }

  @Test(arguments: [
    ("<dc:title>T</dc:title>", "T"), ("<title>T</title><dc:title>no</dc:title>", "T"),
    ("<title/><dc:title>T</dc:title>", "T"),
  ])
  func `a title may be that of Dublin Core`(_ elements: String, _ title: String) throws {
    let feed = try rss(elements, channel: elements)

    #expect(feed.title == title)
    #expect(feed.items.map(\.title) == [title])
  }

  @Test(arguments: [
    ("<dc:description>s</dc:description>", "s"), ("<itunes:summary>s</itunes:summary>", "s"),
    ("<description>s</description><dc:description>no</dc:description>", "s"),
    ("<itunes:subtitle>s</itunes:subtitle>", "s"),
  ])
  func `a description may come from another vocabulary`(_ elements: String, _ text: String) throws {
    let feed = try rss(elements, channel: elements)

    #expect(feed.summary == text)
    #expect(feed.items.map(\.summary?.html) == [text])
    #expect(feed.items.map(\.content?.html) == [text])
  }

  @Test(arguments: [
    ("<dc:creator>Ann</dc:creator>", ["Ann"]), ("<dc:author>Ann</dc:author>", ["Ann"]),
    ("<itunes:author>Ann</itunes:author>", ["Ann"]),
    ("<atom:author><atom:name>Ann</atom:name></atom:author>", ["Ann"]),
    ("<webMaster>ann@a.example (Ann)</webMaster>", ["Ann"]),
    ("<webMaster>w@a.example</webMaster><dc:creator>Ann</dc:creator>", ["Ann"]),
  ])
  func `authors are read from several elements`(_ elements: String, _ names: [String]) throws {
    #expect(try rss("", channel: elements).authors.map(\.displayName) == names)
    guard !elements.contains("webMaster") else { return }
    #expect(try rss(elements).items.first?.authors.map(\.displayName) == names)
  }

  @Test(arguments: [
    "<fullitem>&lt;p&gt;long&lt;/p&gt;</fullitem>",
    "<content:encoded>&lt;p>long&lt;/p></content:encoded>",
    "<xhtml:body><xhtml:p>long</xhtml:p></xhtml:body>",
    "<body xmlns='http://www.w3.org/1999/xhtml'><p>long</p></body>",
    "<div xmlns='http://www.w3.org/1999/xhtml'><p>long</p></div>",
  ])
  func `the content of an item may be in several elements`(_ element: String) throws {
    let feed = try rss("<description>short</description>" + element)

    #expect(feed.items.map(\.content?.html) == ["<p>long</p>"])
    #expect(feed.items.map(\.summary?.html) == ["short"])
  }

  @Test func `XHTML keeps its markup, links and paragraphs included`() throws {
    let item = try entry(
      """
      <content type="xhtml" xmlns:h="http://www.w3.org/1999/xhtml"><h:div>
      <h:p class="a">See <h:a href="u?a=1&amp;b=2">this &lt;one&gt;</h:a> now<h:br/>or <h:i/>later</h:p>
      <h:img src="x" alt="a &quot;b&quot;"/> end</h:div></content>
      """)

    #expect(
      item.content?.html == """
        <p class="a">See <a href="u?a=1&amp;b=2">this &lt;one&gt;</a> now<br>or <i></i>later</p>
        <img src="x" alt="a &quot;b&quot;"> end
        """)
    #expect(item.content?.plainText == "See this <one> now or later end")
  }

  @Test(arguments: [
    ("<content type='text'>1 &lt;blink&gt; 2 &amp;amp; 3</content>", "1 <blink> 2 &amp; 3"),
    ("<content>1 &lt;blink&gt; 2</content>", "1 <blink> 2"),
    ("<content type='text/plain'>&lt;blink&gt;</content>", "<blink>"),
    ("<content type='html'>&lt;blink&gt; &amp;lt;b&amp;gt;</content>", "<b>"),
    ("<content type='text/html'>&lt;i&gt;x&lt;/i&gt;</content>", "x"),
    ("<content type='xhtml'>1 &lt;b&gt; 2</content>", "1 <b> 2"),
    ("<content type='application/xml'><a xmlns='urn:a'>x<b>y</b></a></content>", "xy"),
    (
      "<content type='application/octet-stream'>RXhhbXBsZSA8Yj5BdG9tPC9iPg==</content>",
      "Example <b>Atom</b>"
    ),
    ("<content type='text/html' mode='base64'>PHA+bG9uZzwvcD4=</content>", "long"),
    ("<summary>s</summary><content type='image/png'>iVBORw0KGgo=</content>", "s"),
    ("<content type='application/x'>not base64!</content>", "not base64!"),
    ("<summary>s</summary><content src='http://a.example/'/>", "s"),
  ])
  func `content is read by its type`(_ content: String, _ text: String) throws {
    #expect(try entry(content).content?.plainText == text)
  }

  @Test func `plain text of a JSON feed stays text, and markup is markup`() throws {
    let feed = try Feed(
      document: #"""
        {"items": [{"id": "1", "content_text": "a <blink> & b"},
         {"id": "2", "content_html": "a <blink> &amp; b", "summary": "1 < 2"}]}
        """#)

    #expect(feed.items.map(\.content?.plainText) == ["a <blink> & b", "a & b"])
    #expect(feed.items.map(\.content?.html) == ["a &lt;blink&gt; &amp; b", "a <blink> &amp; b"])
    #expect(feed.items.last?.summary?.plainText == "1 < 2")
  }

  @Test(arguments: [
    ("<name>Ann</name><url>http://a.example/</url>", "Ann"),
    ("<url>http://a.example/</url>", "http://a.example/"),
    ("<uri>http://a.example/</uri>", "http://a.example/"),
    ("<email>a@a.example</email>", "a@a.example"),
  ])
  func `an Atom person's display name is the name, mail address or URL`(
    _ elements: String, _ name: String
  ) throws {
    let item = try entry("<author>\(elements)</author>", version: "http://purl.org/atom/ns#")

    #expect(item.authors.map(\.displayName) == [name])
  }

  @Test func `a single entry is a feed of one item`() throws {
    let feed = try Feed(
      document: """
        <entry xmlns="http://www.w3.org/2005/Atom" xml:base="/x/"><id>urn:1</id><title>One</title><link href="1"/>
        <source><title>T</title><link href="/"/><author><name>Ann</name></author></source></entry>
        """)

    #expect(feed.title == "T")
    #expect(feed.link == URL(known: "https://example.org/"))
    #expect(feed.items.map(\.id) == ["urn:1"])
    #expect(feed.items.map(\.title) == ["One"])
    #expect(feed.items.map(\.link) == [URL(known: "https://example.org/x/1")])
    #expect(feed.items.first?.authors.map(\.displayName) == ["Ann"])
  }

  @Test func `an item of a JSON feed without authors has those of the feed`() throws {
    let feed = try Feed(
      document: #"""
        {"authors": [{"name": "Ann"}], "items": [{"id": "1"}, {"id": "2", "authors": [{"name": "Ben"}]}]}
        """#)

    #expect(feed.items.map { $0.authors.map(\.displayName) } == [["Ann"], ["Ben"]])
  }
}
