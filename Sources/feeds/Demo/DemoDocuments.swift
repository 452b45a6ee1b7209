import Foundation

/// Documents as servers would send them. Everything in them is invented.
enum DemoDocuments {
  struct Document {
    /// The path below the server.
    let name: String
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
    Document(name: "nightsky.json", mediaType: "application/json", text: nightSky),
    Document(name: "compiler.json", mediaType: "application/feed+json", text: compiler),
    Document(name: "compiler-2.json", mediaType: "application/feed+json", text: compilerArchive),
    Document(
      name: "railway.rss", mediaType: "application/rss+xml", text: railway, encoding: .isoLatin1),
    Document(name: "recordings.atom", mediaType: "application/atom+xml", text: recordings),
  ]

  /// The list of the feeds. The last one has been removed from its server.
  static let index = """
    [
      "http://recorded.example/harbour.json", "http://recorded.example/nightsky.json",
      "http://recorded.example/compiler.json", "http://recorded.example/railway.rss",
      "http://recorded.example/recordings.atom", "http://recorded.example/lost-signal.json"
    ]
    """

  /// The problem details (RFC 9457) for a feed that isn't there.
  static let missing = """
    {"title": "No such feed", "status": 404, "detail": "This feed ended in spring 2025."}
    """
}
