import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Feeds that are written to cost time, to lead somewhere else, or to forge what a terminal shows.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct HostileFeedTests {
  private static let pieces = [
    "<script ", "<script>", "<style></styl", "<!--", "<a b=\"", "<a b='>", "<a ", "</", "&", "&#",
    "&amp", "<p>", "<br><script>x</script>", "<script></script x", "<![CDATA[", "a@a", "a@a (",
    "\u{301}",
  ]

  @Test(arguments: pieces)
  func `a text costs time in proportion to its length`(_ piece: String) {
    let few = String(repeating: piece, count: (1 << 12) / piece.utf8.count)
    let many = String(repeating: few, count: 8)
    _ = PlainText.line(ofHTML: few)

    let cost = ProcessorTime.least(of: 3) { _ = PlainText.line(ofHTML: few) }
    let costOfMany = ProcessorTime.least(of: 3) { _ = PlainText.line(ofHTML: many) }

    // In proportion it is 8 times as much, by its square 64 times.
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
  func `the next page is one of the feed's own origin`(_ next: String, _ isFollowed: Bool) throws {
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

  @Test func `a base of its own leads a next page to no other origin`() throws {
    let feed = try Feed(
      document: """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://127.0.0.1/"><link rel="next" href="2"/>
        <link href="page"/></feed>
        """)

    #expect(feed.nextPage == nil)
    #expect(feed.link == URL(known: "http://127.0.0.1/page"))
  }

  @Test(arguments: [
    "\u{200E}", "\u{200F}", "\u{061C}", "\u{E0041}", "\u{E0001}", "\u{202A}", "\u{202E}",
    "\u{2066}",
    "\u{2069}", "\u{FEFF}", "\u{200B}", "\u{2060}", "\u{AD}", "\u{180E}", "\u{206A}", "\u{FFF9}",
    "\u{1D173}", "\u{2028}", "\u{2029}", "\u{85}", "\u{9B}", "\u{1B}", "\u{7F}", "\u{E0080}",
  ])
  func `no character that changes how others are shown is left`(_ character: String) throws {
    let shown = [
      PlainText.line("a\(character)b"), PlainText.line(ofHTML: "<p>a\(character)b"),
    ]

    for text in shown {
      #expect(text?.unicodeScalars.contains { character.unicodeScalars.contains($0) } == false)
    }
  }

  @Test(arguments: ["👩‍🌾", "می\u{200C}خواهم", "❤️", "क्‍ष", "\u{600}1", "🇯🇵"])
  func `what scripts and emoji are made of stays`(_ text: String) {
    #expect(PlainText.line(text) == text)
  }
}

/// The processor time of this thread, which other work on the machine doesn't add to.
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
