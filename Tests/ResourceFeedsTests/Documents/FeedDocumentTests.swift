import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn)
struct FeedDocumentTests {
  private func rss(_ title: String, declaring encoding: String? = nil) -> String {
    let declaration = encoding.map { "<?xml version='1.0' encoding='\($0)'?>" } ?? ""
    return declaration + "<rss><channel><title>\(title)</title></channel></rss>"
  }

  @Test(arguments: [
    ("Größe", "ISO-8859-1", String.Encoding.isoLatin1), ("Größe", "utf-8", .utf8),
    ("Größe – ja", "windows-1252", .windowsCP1252), ("Größe", "UTF-16", .utf16),
    ("日本", "Shift_JIS", .shiftJIS), ("Привет", "windows-1251", .windowsCP1251),
  ])
  func `a feed is read in the encoding that it declares`(
    _ title: String, _ name: String, _ encoding: String.Encoding
  ) throws {
    let document = try #require(rss(title, declaring: name).data(using: encoding))

    #expect(try Feed(document: document).title == title)
  }

  @Test func `the charset of the response takes precedence over the declaration`() throws {
    let document = try #require(rss("Größe", declaring: "utf-8").data(using: .isoLatin1))

    let feed = try Feed(document: document, type: "application/rss+xml; charset=ISO-8859-1")

    #expect(feed.title == "Größe")
  }

  @Test(arguments: ["text/html", "application/json", "text/plain", nil])
  func `the format is detected from the document, not from the media type`(_ type: String?) throws {
    #expect(try Feed(document: rss("T").utf8, type: type).title == "T")
    let json = "\u{FEFF} {\"title\": \"T\", \"items\": []}"
    #expect(try Feed(document: json.utf8, type: type).title == "T")
  }

  @Test(arguments: [
    ("", "the body is empty, so there is no feed in it"),
    ("hello", "the document is neither XML nor JSON, so it isn't a feed"),
    ("<svg/>", "the document is XML, but its root <svg> isn't that of a feed"),
    ("<rss/>", "the document is XML, but its root <rss> isn't that of a feed"),
    (" <!DOCTYPE HTML><p>Hi<br>", "the document is a web page, not a feed"),
    (
      "<rss><channel></rss>",
      "the document isn't well-formed XML: the end tag doesn't match the open element: channel"
    ),
  ])
  func `the error for another document says what it is`(_ document: String, _ reason: String) {
    let error = #expect(throws: LoadError.self) { try Feed(document: document) }

    #expect(error?.kind == .parsing)
    #expect(error?.reason == reason)
  }

  @Test(arguments: [
    "<?xml version=\"1.0\"?><!-- & --><rss>", "<!DOCTYPE rss><rss>",
    "<!DOCTYPE rss PUBLIC '-//Netscape//DTD RSS 0.91//EN' 'http://a.example/rss.dtd'><rss>",
  ])
  func `HTML entities are read, even in documents with undeclared prefixes`(_ start: String)
    throws
  {
    let feed = try Feed(
      document: start
        + """
        <channel><title>Caf&eacute;&nbsp;&amp; &bdquo;&Omega;&loz;&thetasym;&hearts;&bogus;</title>
        <dc:date>2026</dc:date></channel></rss>
        """)

    #expect(feed.title == "Café & „Ω◊ϑ♥&bogus;")
    #expect(feed.updated == .unix(1_767_225_600))
  }

  @Test func `entities that a document declares are expanded`() throws {
    let feed = try Feed(
      document: "<!DOCTYPE rss [<!ENTITY eacute 'x'><!ENTITY own 'y'>]>"
        + "<rss><channel><title>&eacute;&own;</title></channel></rss>")

    #expect(feed.title == "xy")
  }

  @Test func `bare ampersands and control characters are repaired, and nothing else is changed`()
    throws
  {
    let feed = try Feed(
      document: """
        <rss><channel><!-- a & b --><title>AT&T &#38; R&D; &#x1;\u{B}1 &lt; 2 &#</title>
        <link>https://a.example/?a=1&b=2&amp;c=3</link>
        <description><![CDATA[x & y &eacute; \u{8}]]></description></channel></rss>
        """)

    #expect(feed.title == "AT&T & R&D; 1 < 2 &#")
    #expect(feed.link == URL(known: "https://a.example/?a=1&b=2&c=3"))
    #expect(feed.summary == "x & y é")
  }

  @Test(arguments: [
    "Warning: no such file in x.php on line 3\n<?xml version='1.0'?>%",
    "<br />\n<b>Warning</b>: x<br />\n<?xml version='1.0'?>%", "<!-- x --><?xml version='1.0'?>%",
    "\u{FEFF}\n<?xml version='1.0'?>%", "\u{FEFF}\u{FEFF}<?xml version='1.0'?>%",
    " \u{FEFF} <?xml version='1.0' encoding='utf-8'?>%",
    "\u{FEFF}<?xml version='1.0' encoding='iso-8859-1'?>%",
    "<?xml version='1.0' encoding='utf-16'?>%", "<?xml version='1.0' encoding='nonsense'?>%",
    "%<script>alert(1)</script>", "%\n<br/>took 0.1 s", "%&",
    "Notice: x\n%", "<br />\n<b>Notice</b>: a < b<br />\n%",
    "Notice: x\n<!DOCTYPE rss>%", "<!-- a -- b --->\n%", "<!------>%&",
  ])
  func `text around a feed is ignored`(_ document: String) throws {
    #expect(try Feed(document: document.replacing("%", with: rss("Größe"))).title == "Größe")
  }

  @Test(arguments: [
    "<?xml version=\"1.0\"encoding=\"ISO-8859-1\"?>", "<?xml encoding='iso-8859-1' version='1.0'?>",
    "<?xml version=1.0 encoding=iso-8859-1?>", "<?xml version='1.0' encoding=\"latin1\" x='y'?>\n",
    "<?xml version='1.0' encoding='' ?>", "<?xml version='1.0' encoding='866?'?>",
  ])
  func `a broken XML declaration is ignored except for its encoding`(_ declaration: String) throws {
    let isCyrillic = declaration.contains("866")
    let title: [UInt8] = isCyrillic ? [0x8F, 0xE0] : [0xE4]
    let document = Array((declaration + "<rss><channel><title>").utf8) + title

    let feed = try Feed(document: document + Array("</title></channel></rss>".utf8))

    #expect(feed.title == (isCyrillic ? "Пр" : "ä"))
  }

  @Test(arguments: ["UTF-8", "ISO-8859-1", "nonsense"])
  func `UTF-16 is read whatever the document declares`(_ encoding: String) throws {
    for form in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian] {
      let document = try #require(rss("Größe", declaring: encoding).data(using: form))

      #expect(try Feed(document: document).title == "Größe")
    }
  }

  @Test(arguments: ["none", "us-ascii", "", "'utf-8'"])
  func `an unknown charset is ignored`(_ charset: String) throws {
    let feed = try Feed(document: rss("Größe").utf8, type: "text/xml; charset=\(charset)")

    #expect(feed.title == "Größe")
  }

  @Test func `bytes that aren't UTF-8 are read as windows-1252`() throws {
    let document = Array("<rss><channel><title>Größe &amp; ".utf8) + [0x93, 0xE4, 0x94]
    let end = Array("</title></channel></rss>".utf8)

    #expect(try Feed(document: document + end).title == "Größe & “ä”")
  }

  @Test(arguments: [
    ("it&#146;s &amp;#146;", "it’s ’"), ("a&lt;br/&gt;b&lt;/P&gt;c", "a b c"),
    ("a&lt;script x&gt;evil()&lt;/script&gt;b", "ab"), ("a&lt;b&gt;c&lt;/b&gt;d", "acd"),
    ("&amp;hearts;&amp;#x1F600;", "♥😀"),
  ])
  func `a title is plain text without markup and entities`(_ markup: String, _ title: String) throws
  {
    #expect(try Feed(document: rss(markup)).title == title)
  }

  @Test func `the error for a document that exceeds a limit says so`() {
    let depth = String(repeating: "<a>", count: 2000)

    let error = #expect(throws: LoadError.self) { try Feed(document: "<rss>" + depth) }

    #expect(error?.reason == "the document can't be read: elements are nested too deep")
  }

  @Test func `markup is read at the largest allowed depth`() throws {
    let (opening, closing) = ("<b>", "</b>")
    let feed = try Feed(
      document: "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'>"
        + String(repeating: opening, count: 990) + "x" + String(repeating: closing, count: 990)
        + "</content></entry></feed>")

    #expect(feed.items.first?.content?.plainText == "x")
    #expect(feed.items.first?.content?.html.utf8.count == 990 * 7 + 1)
  }

  @Test func `the error for a broken document has line and column`() throws {
    let error = #expect(throws: LoadError.self) {
      try Feed(document: "<rss>\n<channel>\n <title>T</tile></channel></rss>")
    }

    #expect(error?.parsing?.line == 3)
    #expect(error?.parsing?.snippet?.contains("<title>T</tile>") == true)
  }

  @Test(arguments: [
    "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml?a=1&amp;b=2\">",
    "<LINK href='/feed.xml?a=1&amp;b=2' type=application/rss+xml rel=alternate />",
    "<link rel=stylesheet href=x><link rel=alternate type=text/html href=y>"
      + "<link type='application/atom+xml' rel='home Alternate' href='/feed.xml?a=1&b=2'>",
    "<link rel=alternate type='application/rss+xml' href='javascript:alert(1)'>"
      + "<link rel=alternate type='application/rss+xml' href=/feed.xml?a=1&b=2>",
    "<link rel=alternate type='application/rss+xml'><linked><link/><link rel=alternate "
      + "type='application/rss+xml' title=\"a > b\" href=\"/feed.xml?a=1&amp;b=2\"",
  ])
  func `the error for a web page names the page's feed`(_ link: String) {
    let error = #expect(throws: LoadError.self) {
      try Feed(document: "<!doctype html><html><head>\(link)</head>")
    }

    #expect(
      error?.advice == "Load the feed that the page names: https://example.org/feed.xml?a=1&b=2")
  }
}
