import Foundation

/// Documents as servers would send them. Everything in them is invented.
enum DemoDocuments {
  /// A document with a name.
  struct Document {
    /// The last part of its path.
    let name: String
    /// The media type.
    let mediaType: String
    /// The document, to the letter.
    let text: String
    /// The encoding on the wire.
    var encoding = String.Encoding.utf8

    /// The document, to the byte.
    var body: Data { text.data(using: encoding) ?? Data() }
  }

  /// The feeds that can be read.
  static let feeds = [
    Document(name: "harbour.json", mediaType: "application/feed+json", text: harbour),
    Document(name: "bakery.json", mediaType: "application/feed+json", text: bakery),
    Document(name: "orchard.json", mediaType: "application/json", text: orchard),
    Document(name: "nightsky.json", mediaType: "application/feed+json", text: nightSky),
    Document(
      name: "compiler.json", mediaType: "application/feed+json; charset=utf-8", text: compiler),
    Document(name: "compiler-2.json", mediaType: "application/feed+json", text: compilerArchive),
    Document(
      name: "railway.rss", mediaType: "application/rss+xml", text: railway, encoding: .isoLatin1),
    Document(name: "recordings.atom", mediaType: "application/atom+xml", text: recordings),
  ]

  /// The list of the feeds. The last one has moved away without leaving an address.
  static let index = """
    {
      "title": "Recorded feeds",
      "notice": "http://recorded.example/notice.txt",
      "feeds": [
        {"title": "Harbour Log", "url": "http://recorded.example/feeds/harbour.json"},
        {"title": "Crumb & Crust", "url": "http://recorded.example/feeds/bakery.json"},
        {"title": "Orchard Notes", "url": "http://recorded.example/feeds/orchard.json"},
        {"title": "Night Sky Weekly", "url": "http://recorded.example/feeds/nightsky.json"},
        {"title": "Notes on Compilers", "url": "http://recorded.example/feeds/compiler.json"},
        {"title": "Nebenbahn-Brief", "url": "http://recorded.example/feeds/railway.rss"},
        {"title": "Field Recordings", "url": "http://recorded.example/feeds/recordings.atom"},
        {"title": "The Lost Signal", "url": "http://recorded.example/feeds/lost-signal.json"}
      ]
    }
    """

  /// A note by the publisher of the list.
  static let notice = """
    These feeds are recorded and served from this process. One of them is missing on purpose.
    Give the URLs of real ones to read those: feeds https://example.org/feed.json
    """

  /// The problem details (RFC 9457) for a feed that isn't there.
  static let missing = """
    {"title": "No such feed", "status": 404, "detail": "This feed ended in spring 2025."}
    """
}
