import Foundation
import ResourceFeeds
import TestSupport
import Testing

@Suite(.inTurn)
struct FallbackTests {
  private func rss(_ item: String, channel: String = "") throws -> Feed {
    try Feed(
      document: """
        <rss xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
          xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom"
          xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:media="http://search.yahoo.com/mrss/"
          xmlns:dcterms="http://purl.org/dc/terms/"><channel>\(channel)<item>\(item)</item></channel></rss>
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
    ("<title/><dc:title>T</dc:title>", "T"), ("<media:title>T</media:title>", "T"),
    ("<media:group><media:title>T</media:title></media:group>", "T"),
  ])
  func `a title may come from another vocabulary`(_ elements: String, _ title: String) throws {
    let feed = try rss(elements, channel: elements)

    #expect(feed.title == title)
    #expect(feed.items.map(\.title) == [title])
  }

  @Test(arguments: [
    ("<dc:description>s</dc:description>", "s"), ("<itunes:summary>s</itunes:summary>", "s"),
    ("<description>s</description><dc:description>no</dc:description>", "s"),
    ("<itunes:subtitle>s</itunes:subtitle>", "s"), ("<summary>s</summary>", "s"),
  ])
  func `a description may come from another vocabulary`(_ elements: String, _ text: String) throws {
    let feed = try rss(elements, channel: elements)

    #expect(feed.summary == text)
    #expect(feed.items.map(\.summary?.html) == [text])
    #expect(feed.items.map(\.content?.html) == [text])
  }

  @Test(arguments: [
    ("<atom:content type='html'>&lt;b>c&lt;/b></atom:content>", "<b>c</b>"),
    ("<atom:content>1 &lt; 2</atom:content>", "1 &lt; 2"),
    (
      "<atom:content type='xhtml'><xhtml:div><xhtml:b>c</xhtml:b></xhtml:div></atom:content>",
      "<b>c</b>"
    ),
    ("<atom:content>no</atom:content><content:encoded>c</content:encoded>", "c"),
    ("<atom:content>c</atom:content><description>no</description>", "c"),
    ("<atom:summary>c</atom:summary>", "c"),
  ])
  func `an RSS item may have its content in Atom's form`(_ elements: String, _ html: String)
    throws
  {
    #expect(try rss(elements).items.map(\.content?.html) == [html])
  }

  @Test func `podcasts have categories for the feed and for its items`() throws {
    let categories = """
      <category>A</category><itunes:category text="Technology">
        <itunes:category text="Podcasting &amp; More"/><itunes:category/></itunes:category>
      <itunes:category text=" Arts "/>
      """

    let feed = try rss(categories, channel: categories)

    #expect(feed.categories == ["A", "Technology", "Podcasting & More", "Arts"])
    #expect(feed.items.map(\.categories) == [feed.categories])
  }

  @Test func `the categories of an Atom feed aren't those of its entries`() throws {
    let feed = try Feed(
      document: """
        <feed xmlns="http://www.w3.org/2005/Atom"><category term="a" label="A"/><category term="b"/>
        <entry><category term="c"/></entry></feed>
        """)

    #expect(feed.categories == ["A", "b"])
    #expect(feed.items.map(\.categories) == [["c"]])
  }

  @Test(arguments: [
    ("<link>https://a.example/1</link><link>https://a.example/2</link>", "https://a.example/1"),
    ("<link/><link>https://a.example/2</link>", "https://a.example/2"),
    ("<link>javascript:x</link><link>https://a.example/2</link>", "https://a.example/2"),
    (
      "<link>https://a.example/1</link><atom:link href='https://a.example/2'/>",
      "https://a.example/1"
    ),
    (
      "<atom:link href='/a.pdf' type='application/pdf'/><atom:link href='/b'/><atom:link href='/c'/>",
      "https://example.org/b"
    ),
  ])
  func `the first usable link of several is taken`(_ elements: String, _ url: String)
    throws
  {
    let feed = try rss(elements, channel: elements)

    #expect(feed.link?.absoluteString == url)
    #expect(feed.items.map(\.link?.absoluteString) == [url])
  }

  @Test(arguments: [
    "application/octet-stream", "application/x-unknown", "nonsense", "image/png", "",
  ])
  func `an Atom title is text, whatever its type`(_ type: String) throws {
    let title = "<title type='\(type)'>Test</title><summary type='\(type)'>Text</summary>"

    let item = try entry(title)

    #expect(item.title == "Test")
    #expect(item.summary?.plainText == "Text")
  }

  @Test(arguments: [
    ("<dc:creator>Ann</dc:creator>", ["Ann"]), ("<dc:author>Ann</dc:author>", ["Ann"]),
    ("<itunes:author>Ann</itunes:author>", ["Ann"]),
    ("<atom:author><atom:name>Ann</atom:name></atom:author>", ["Ann"]),
    ("<webMaster>ann@a.example (Ann)</webMaster>", ["Ann"]),
    ("<webMaster>w@a.example</webMaster><dc:creator>Ann</dc:creator>", ["Ann"]),
    ("<author>ann@a.example (Ann)</author>", ["Ann"]),
    ("<author><name>Ann</name><email>ann@a.example</email></author>", ["Ann"]),
    ("<itunes:owner><itunes:name>Ann</itunes:name></itunes:owner>", ["Ann"]),
    ("<itunes:owner><itunes:name>X</itunes:name></itunes:owner><author>Ann</author>", ["Ann"]),
  ])
  func `authors are read from several elements`(_ elements: String, _ names: [String]) throws {
    #expect(try rss("", channel: elements).authors.map(\.displayName) == names)
    guard !elements.contains("webMaster"), !elements.contains("owner") else { return }
    #expect(try rss(elements).items.first?.authors.map(\.displayName) == names)
  }

  @Test(
    arguments: [
      ("ann@a.example (Ann B)", "Ann B", "ann@a.example"), ("ann@a.example", nil, "ann@a.example"),
      ("Ann B (ann@a.example)", "Ann B", "ann@a.example"), ("Ann (B)", "Ann (B)", nil),
      ("Ann B &lt;ann@a.example&gt;", "Ann B", "ann@a.example"), ("Ann &lt;b@&gt;", "Ann", nil),
      ("&lt;b&gt;Ann&lt;/b&gt;", "Ann", nil), ("(Ann)", "(Ann)", nil), ("Ann ()", "Ann ()", nil),
    ] as [(String, String?, String?)])
  func `an RSS author may have a name and an address in any order`(
    _ text: String, _ name: String?, _ email: String?
  ) throws {
    let item = try rss("<author>\(text)</author>").items.first

    #expect(item?.authors == [Feed.Person(name: name, email: email)])
  }

  @Test func `the description of Media RSS is used if there is no other`() throws {
    let media = "<media:group><media:description>1 &lt; 2</media:description></media:group>"
    let item = try rss(media).items.first
    let entry = try entry(
      "<group xmlns='http://search.yahoo.com/mrss/'><title>T</title>"
        + "<description type='html'>&lt;i&gt;s</description><category>c</category></group>")

    #expect(item?.content == Feed.Text(plain: "1 < 2"))
    #expect(item?.summary == Feed.Text(plain: "1 < 2"))
    #expect(entry.content == Feed.Text(html: "<i>s"))
    #expect(entry.title == "T")
    #expect(entry.categories == ["c"])
    #expect(try rss("<description>d</description>" + media).items.first?.summary?.html == "d")
  }

  @Test func `Atom elements in RSS are read even without their namespace`() throws {
    let elements = """
      <link href="/page"/><link rel="enclosure" href="/a.mp3" type="audio/mpeg" length="7"/>
      <id>urn:1</id><published>2026-11-20T05:10:00Z</published><updated>2026</updated>
      """

    let feed = try rss(elements, channel: elements)

    #expect(feed.link == URL(known: "https://example.org/page"))
    #expect(feed.updated == .unix(1_767_225_600))
    let item = try #require(feed.items.first)
    #expect(item.id == "urn:1")
    #expect(item.link == URL(known: "https://example.org/page"))
    #expect(item.published == .unix(1_795_151_400))
    #expect(item.updated == .unix(1_767_225_600))
    #expect(item.enclosures.map(\.url) == [URL(known: "https://example.org/a.mp3")])
    #expect(item.enclosures.map(\.length) == [7])
  }

  @Test func `the date of a channel may come from Dublin Core`() throws {
    let feed = try rss("", channel: "<dcterms:modified>2026</dcterms:modified>")

    #expect(feed.updated == .unix(1_767_225_600))
  }

  @Test(arguments: [
    "<rss xml:base='/x/'>%</rss>", "<rss xml:base='/x/'><channel/>%</rss>",
    "<rdf:RDF xml:base='/x/' xmlns='http://purl.org/rss/1.0/'>%</rdf:RDF>",
  ])
  func `items are read without a channel around them`(_ root: String) throws {
    let items = "<item><title>One</title><link>1</link></item><item><title>Two</title></item>"

    let feed = try Feed(document: root.replacing("%", with: items))

    #expect(feed.items.map(\.title) == ["One", "Two"])
    #expect(feed.items.first?.link == URL(known: "https://example.org/x/1"))
    #expect(feed.title == nil)
  }

  @Test func `the relation of a link may be written as an IRI`() throws {
    let item = try entry(
      "<link href='/e' rel='http://www.iana.org/assignments/relation/enclosure'/>"
        + "<link href='/p' rel='http://www.iana.org/assignments/relation/alternate'/>")

    #expect(item.link == URL(known: "https://example.org/p"))
    #expect(item.enclosures.map(\.url) == [URL(known: "https://example.org/e")])
  }

  @Test func `tabs and line breaks in a link are ignored`() throws {
    let feed = try rss("<link>\n https://a.example/one/\n\ttwo?x=\r\n1 </link>")

    #expect(feed.items.first?.link == URL(known: "https://a.example/one/two?x=1"))
  }

  @Test(arguments: [
    "<fullitem>&lt;p&gt;long&lt;/p&gt;</fullitem>",
    "<content:encoded>&lt;p>long&lt;/p></content:encoded>",
    "<xhtml:body><xhtml:p>long</xhtml:p></xhtml:body>",
    "<body xmlns='http://www.w3.org/1999/xhtml'><p>long</p></body>",
    "<div xmlns='http://www.w3.org/1999/xhtml'><p>long</p></div>", "<body><p>long</p></body>",
    "<body>&lt;p&gt;long&lt;/p&gt;</body>",
  ])
  func `the content of an item may be in several elements`(_ element: String) throws {
    let feed = try rss("<description>short</description>" + element)

    #expect(feed.items.map(\.content?.html) == ["<p>long</p>"])
    #expect(feed.items.map(\.summary?.html) == ["short"])
  }

  @Test func `XHTML keeps its markup, including links and paragraphs`() throws {
    let item = try entry(
      """
      <content type="xhtml" xmlns:h="http://www.w3.org/1999/xhtml"><h:div>
      <h:p class="a" xml:base="/b" xml:space="preserve">See <h:a href="u?a=1&amp;b=2">this &lt;one&gt;</h:a> now<h:br/>or <h:i/>later</h:p>
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

  @Test func `plain text of a JSON feed stays plain, and HTML stays HTML`() throws {
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
    ("<homepage>http://a.example/</homepage>", "http://a.example/"),
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

  @Test func `an item of a JSON feed without authors gets those of the feed`() throws {
    let feed = try Feed(
      document: #"""
        {"authors": [{"name": "Ann"}], "items": [{"id": "1"}, {"id": "2", "authors": [{"name": "Ben"}]}]}
        """#)

    #expect(feed.items.map { $0.authors.map(\.displayName) } == [["Ann"], ["Ben"]])
  }
}
