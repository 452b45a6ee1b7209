import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Feeds that are written to cost time, to redirect requests, or to forge terminal output.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct HostileFeedTests {
  private static let pieces = [
    "<script ", "<script>", "<style></styl", "<!--", "<a b=\"", "<a b='>", "<a ", "</", "&", "&#",
    "&amp", "<p>", "<br><script>x</script>", "<script></script x", "<![CDATA[", "a@a", "a@a (",
    "\u{301}",
  ]

  @Test(arguments: pieces)
  func `reading a text takes time in proportion to its length`(_ piece: String) {
    let few = String(repeating: piece, count: (1 << 12) / piece.utf8.count)
    let many = String(repeating: few, count: 8)
    _ = PlainText.line(ofHTML: few)

    let cost = ProcessorTime.least(of: 3) { _ = PlainText.line(ofHTML: few) }
    let costOfMany = ProcessorTime.least(of: 3) { _ = PlainText.line(ofHTML: many) }

    // Linear time is 8 times as much; quadratic time is 64 times.
    #expect(costOfMany < cost * 28 + .milliseconds(50), "\(cost) became \(costOfMany)")
  }

  @Test(arguments: pieces)
  func `a hostile feed is read in seconds`(_ piece: String) {
    let text = String(repeating: piece, count: (1 << 15) / piece.utf8.count)
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let channel = ["title", "description", "managingEditor", "category"]
      .map { "<\($0)>\(escaped)</\($0)>" }.joined()

    let cost = ProcessorTime.least(of: 1) {
      _ = try? Feed(document: "<rss><channel>\(channel)<item>\(channel)</item></channel></rss>")
      _ = try? Feed(document: "<rss><channel><title>" + text)
      _ = try? Feed(document: "<!doctype html>" + text)
      _ = try? Feed(document: "<!doctype html>" + text.replacing("<a", with: "<link"))
    }

    #expect(cost < .seconds(60))
  }

  @Test func `long names of attributes aren't read again for each item`() {
    // Each item has a thousand attributes by default, whose names are four megabytes.
    let names = (0..<1000).map { "a\($0)" + String(repeating: "x", count: 4000) + " CDATA ''" }
    func cost(_ count: Int) -> Duration {
      let items = String(repeating: "<item/>", count: count)
      let document =
        "<!DOCTYPE rss [<!ATTLIST item \(names.joined(separator: " "))>]><rss><channel>\(items)"
        + "</channel></rss>"
      return ProcessorTime.least(of: 1) { _ = try? Feed(document: document) }
    }

    // A name that was read for each of them made 1,000 items seven times as slow.
    let (few, many) = (cost(1), cost(1000))
    #expect(many < few * 4, "\(few) became \(many)")
  }

  @Test func `long namespaces aren't compared again for each element`() throws {
    // Comparing them for each element would read 10^12 bytes.
    let long = String(repeating: "n", count: 8 << 20)
    let titles = String(repeating: "<b:title/>", count: 30_000)
    let document =
      "<rss xmlns='\(long)1' xmlns:b='\(long)2'><channel><item>\(titles)<title>T</title></item></channel></rss>"

    let feed = try Feed(document: document)

    #expect(feed.items.map(\.title) == ["T"])
  }

  @Test(arguments: [
    "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://a.example/",
    "http:///x",
    "JavaScript:alert(1)", " java\nscript:alert(1)", "httpx://a.example/", "https:a",
    "mailto:a@a.example",
  ])
  func `only http and https URLs are links`(_ link: String) throws {
    let feeds = [
      try Feed(
        document: """
          <rss><channel><link>\(link)</link><item><link>\(link)</link><guid>\(link)</guid>
          <enclosure url="\(link)"/></item></channel></rss>
          """),
      try Feed(
        document: """
          <feed xmlns="http://www.w3.org/2005/Atom"><link href="\(link)"/><link rel="next" href="\(link)"/>
          <entry><id>\(link)</id><link href="\(link)"/><link rel="enclosure" href="\(link)"/></entry></feed>
          """),
      try Feed(
        document: """
          {"home_page_url": "\(link.replacing("\n", with: "\\n"))", "next_url": "\(link.replacing("\n", with: "\\n"))",
           "items": [{"id": "1", "url": "\(link.replacing("\n", with: "\\n"))",
           "attachments": [{"url": "\(link.replacing("\n", with: "\\n"))"}]}]}
          """),
    ]

    for feed in feeds {
      for link in [feed.nextPage, feed.link, feed.items.first?.link]
        + feed.items[0].enclosures.map(\.url)
      {
        #expect(link == nil || link?.host() == "example.org", "\(String(describing: link))")
      }
    }
  }

  @Test(arguments: [
    ("/feed?page=2", true), ("https://EXAMPLE.org:443/2", true), ("http://example.org/2", false),
    ("https://example.org:8443/2", false), ("https://other.example/2", false),
    ("http://169.254.169.254/latest/meta-data", false), ("//127.0.0.1/2", false),
    ("https://example.org@other.example/", false),
  ])
  func `the next page has the feed's own origin`(_ next: String, _ isFollowed: Bool) throws {
    let atom = #"xmlns:a="http://www.w3.org/2005/Atom""#
    let feeds = [
      try Feed(document: #"{"next_url": "\#(next)", "items": []}"#),
      try Feed(
        document: #"<a:feed \#(atom)><a:link rel="next" href="\#(next)"/></a:feed>"#),
      try Feed(
        document: #"<rss \#(atom)><channel><a:link rel="next" href="\#(next)"/></channel></rss>"#),
    ]

    #expect(feeds.map { $0.nextPage != nil } == [isFollowed, isFollowed, isFollowed])
  }

  @Test func `an xml:base can't lead the next page to another origin`() throws {
    let feed = try Feed(
      document: """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://127.0.0.1/"><link rel="next" href="2"/>
        <link href="page"/></feed>
        """)

    #expect(feed.nextPage == nil)
    #expect(feed.link == URL(known: "http://127.0.0.1/page"))
  }

  @Test func `neither a long base nor long authors are copied into every item`() throws {
    let long = String(repeating: "x", count: 100_000)
    let entries = String(repeating: "<entry><link href='a'/></entry>", count: 100)
    let atom = try Feed(
      document: """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://b.example/\(long)/">
        <author><name>\(long)</name></author>\(entries)</feed>
        """)
    let items = Array(repeating: "{}", count: 100).joined(separator: ",")
    let json = try Feed(
      document: #"{"authors": [{"name": "\#(long)"}], "items": [\#(items)]}"#)

    #expect(atom.items.count == 100)
    #expect(atom.items.allSatisfy { $0.link == URL(known: "https://example.org/blog/a") })
    #expect(atom.authors.count == 1)
    let authors = (atom.items + json.items).flatMap(\.authors)
    #expect(authors.isEmpty)
  }

  @Test(arguments: [
    "\u{200E}", "\u{200F}", "\u{061C}", "\u{E0041}", "\u{E0001}", "\u{202A}", "\u{202E}",
    "\u{2066}",
    "\u{2069}", "\u{FEFF}", "\u{200B}", "\u{2060}", "\u{AD}", "\u{180E}", "\u{206A}", "\u{FFF9}",
    "\u{1D173}", "\u{2028}", "\u{2029}", "\u{85}", "\u{9B}", "\u{1B}", "\u{7F}", "\u{E0080}",
  ])
  func `plain text has no characters that change how others are shown`(_ character: String) throws {
    let shown = [
      PlainText.line("a\(character)b"), PlainText.line(ofHTML: "<p>a\(character)b"),
    ]

    for text in shown {
      #expect(text?.unicodeScalars.contains { character.unicodeScalars.contains($0) } == false)
    }
  }

  @Test(arguments: ["👩‍🌾", "می\u{200C}خواهم", "❤️", "क्‍ष", "\u{600}1", "🇯🇵"])
  func `joiners of scripts and emoji are kept`(_ text: String) {
    #expect(PlainText.line(text) == text)
  }
}

/// Properties of every feed, checked with randomly mutated documents.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct MutatedFeedTests {
  private static let documents = [
    """
    <rss xmlns:a="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>A &amp;lt; B</title>
    <link>/x</link><a:link rel="next" href="?p=2"/><item><title>One &lt;b>bold&lt;/b></title><guid>https://a.example/1</guid>
    <author>b@a.example (Bea)</author><description>&lt;p>a &amp;amp; b&lt;/p></description><pubDate>Fri, 20 Nov 26 00:10 EST</pubDate>
    <enclosure url="/a.mp3" length="12"/><dc:subject>z</dc:subject></item></channel></rss>
    """,
    """
    <feed xmlns="http://www.w3.org/2005/Atom" xml:base="x/"><title type="html">A &amp;amp; B</title><link rel="next" href="2"/>
    <entry><id>1</id><title>T</title><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p a="b">x<br/>y</p></div></content>
    <updated>2026-11-20T05:10:00Z</updated><link rel="enclosure" href="e"/><author><name>Ann</name><uri>u</uri></author></entry></feed>
    """,
    """
    {"title": "A", "home_page_url": "/", "next_url": "2", "authors": [{"name": "Ann", "url": "u"}], "items": [{"id": 1, "url": "1",
    "title": "T", "content_html": "<p>a &amp; b</p>", "date_published": "2026-11-20", "attachments": [{"url": "e"}], "tags": ["x"]}]}
    """,
  ]

  private static let pieces = [
    "<", ">", "&", "\"", "'", "<script>", "<!--", "-->", "]]>", "<![CDATA[", "&#27;", "&#x202E;",
    "\u{200F}", "\u{1B}",
    "\u{E0041}", "\\u001b", "\\u202e", "javascript:", "file:///", "http://other.example/",
    "//other.example/", "xml:base='http://b/'",
    "type='xhtml'", "type='html'", "mode='base64'", "\u{0}", "é", "\u{FFFE}", "}", "]", "{", ",",
  ]

  @Test(arguments: documents)
  func `a mutated feed is an error or still a valid feed`(_ document: String) {
    var random = SeededGenerator(seed: 3)
    var count = 0

    for _ in 0..<1000 {
      var bytes = Array(document.utf8)
      for _ in 0...Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(place + Int.random(in: 0...6, using: &random), bytes.count)
        bytes.replaceSubrange(
          place..<end, with: Self.pieces.randomElement(using: &random)?.utf8 ?? "".utf8)
      }
      guard let feed = try? Feed(document: bytes) else { continue }
      count += 1
      expectPromises(of: feed, String(decoding: bytes, as: UTF8.self))
    }
    #expect(count > 30)
  }

  private func expectPromises(of feed: Feed, _ document: String) {
    let items = feed.items
    let links = [feed.link] + items.map(\.link) + items.flatMap(\.enclosures).map(\.url)
    let urls =
      links + (feed.links + items.flatMap(\.links)).map(\.url) + items.flatMap(\.authors).map(\.url)
    let isWeb = urls.allSatisfy { ["http", "https", nil].contains($0?.scheme?.lowercased()) }
    #expect(isWeb, "\(document)")
    #expect(feed.nextPage == nil || feed.nextPage?.host() == "example.org", "\(document)")

    let texts = [feed.title, feed.summary] + items.map(\.title) + items.flatMap(\.categories)
    let plain = texts + items.map(\.content?.plainText) + items.map(\.summary?.plainText)
    let names = (feed.authors + items.flatMap(\.authors)).map(\.displayName)
    let isFit = (plain + names).allSatisfy { text in text == text.map(PlainText.visible) }
    #expect(isFit, "\(document)")
  }
}

/// The processor time of this thread, which other work on the machine doesn't affect.
enum ProcessorTime {
  static func least(of count: Int, _ body: () -> Void) -> Duration {
    (0..<count).map { _ in time(body) }.min() ?? .zero
  }

  private static func time(_ body: () -> Void) -> Duration {
    let start = now
    body()
    return now - start
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int(time.tv_sec)) + .nanoseconds(Int(time.tv_nsec))
  }
}
