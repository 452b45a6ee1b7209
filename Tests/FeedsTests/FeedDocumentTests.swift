import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

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

  @Test func `the charset of the response counts before the declaration`() throws {
    let document = try #require(rss("Größe", declaring: "utf-8").data(using: .isoLatin1))

    let feed = try Feed(document: document, type: "application/rss+xml; charset=ISO-8859-1")

    #expect(feed.title == "Größe")
  }

  @Test(arguments: ["text/html", "application/json", "text/plain", nil])
  func `the document tells what it is, not the media type`(_ type: String?) throws {
    #expect(try Feed(document: rss("T").utf8, type: type).title == "T")
    let json = "\u{FEFF} {\"title\": \"T\", \"items\": []}"
    #expect(try Feed(document: json.utf8, type: type).title == "T")
  }

  @Test(arguments: [
    ("", "the body is empty, so there is no feed in it"),
    ("hello", "the document is neither XML nor JSON, so it is no feed"),
    ("<svg/>", "the document is XML, but its root <svg> is that of no feed"),
    ("<rss/>", "the document is XML, but its root <rss> is that of no feed"),
    (" <!DOCTYPE HTML><p>Hi<br>", "the document is a web page, not a feed"),
    (
      "<rss><channel></rss>",
      "the document isn't well-formed XML: the end tag doesn't match the open element: channel"
    ),
  ])
  func `what is no feed is told as what it is`(_ document: String, _ reason: String) {
    let error = #expect(throws: LoadError.self) { try Feed(document: document) }

    #expect(error?.kind == .parsing)
    #expect(error?.reason == reason)
  }

  @Test func `entities of HTML are read, also beside prefixes that nobody declared`() throws {
    let feed = try Feed(
      document: """
        <?xml version="1.0"?><!-- a feed -->
        <rss><channel><title>Caf&eacute;&nbsp;&amp; more</title><dc:date>2026</dc:date></channel></rss>
        """)

    #expect(feed.title == "Café & more")
    #expect(feed.updated == .unix(1_767_225_600))
  }

  @Test func `an entity that nobody knows is an error with its place`() {
    let error = #expect(throws: LoadError.self) {
      try Feed(document: "<rss>\n<channel><title>&nbsp;&bogus;</title></channel></rss>")
    }

    #expect(error?.parsing?.line == 2)
    #expect(error?.reason == "the document isn't well-formed XML: the entity isn't declared: nbsp")
  }

  @Test func `a broken document is shown with its place`() throws {
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
  ])
  func `a web page names its feed`(_ link: String) {
    let error = #expect(throws: LoadError.self) {
      try Feed(document: "<!doctype html><html><head>\(link)</head>")
    }

    #expect(error?.advice == "The page names this feed: https://example.org/feed.xml?a=1&b=2")
  }

  @Test(arguments: ["railway.rss", "recordings.atom", "harbour.json"])
  func `no cut and no changed byte does worse than an error`(_ name: String) throws {
    let document = try #require(DemoDocuments.feeds.first { $0.name == name }).body
    var random = SeededGenerator(seed: 7)

    for end in stride(from: 0, to: document.count, by: 7) {
      #expect(throws: (any Error).self) { try Feed(document: document.prefix(end)) }
    }
    for _ in 0..<300 {
      var changed = document
      changed[Int.random(in: 0..<document.count, using: &random)] = .random(
        in: 0...255, using: &random)
      _ = try? Feed(document: changed)
    }
  }

  @Test(arguments: DemoDocuments.feeds.map(\.name))
  func `every recorded document is read whole`(_ name: String) throws {
    let document = try #require(DemoDocuments.feeds.first { $0.name == name })

    let feed = try Feed(document: document.body, type: document.mediaType)

    #expect(feed.title != nil)
    #expect(feed.items.count >= 2)
    #expect(feed.items.allSatisfy { $0.date != nil && $0.link != nil && $0.content != nil })
    #expect(feed.items.allSatisfy { $0.title != nil || $0.id == "299" })
  }
}
