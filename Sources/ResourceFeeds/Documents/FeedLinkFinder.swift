internal import Foundation
internal import ResourcePrimitives

/// Finds the feed that a web page links to (the link type `alternate` of HTML).
struct FeedLinkFinder {
  private let html: ArraySlice<UInt8>
  private var place = 0

  /// Returns the URL of the first feed in the first 64 KiB of a page; `nil` if there is none.
  static func first(in page: Data, at url: URL?) -> URL? {
    var finder = FeedLinkFinder(html: Array(page.prefix(1 << 16))[...])
    while let attributes = finder.nextLink() {
      guard let type = attributes["type"]?.lowercased(), types.contains(type),
        attributes["rel"]?.lowercased().includes("alternate") == true,
        let feed = URL.link(attributes["href"]?.replacing("&amp;", with: "&"), base: url)
      else { continue }
      return feed
    }
    return nil
  }

  private init(html: ArraySlice<UInt8>) { self.html = html }

  private static let types: Set = [
    "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml",
  ]
}

extension FeedLinkFinder {
  /// Reads the next `link` element, and returns the first attribute of each lower-case name; `nil`
  /// if there is no further element.
  private mutating func nextLink() -> [String: String]? {
    while let start = html[place...].firstIndex(of: UInt8(ascii: "<")) {
      place = start + 1
      guard text(while: { $0.isASCIILetter }).lowercased() == "link" else { continue }
      var attributes: [String: String] = [:]
      while let (name, value) = nextAttribute() { attributes[name] = attributes[name] ?? value }
      return attributes
    }
    return nil
  }

  /// Reads an attribute; `nil` at the end of the tag.
  private mutating func nextAttribute() -> (name: String, value: String)? {
    _ = text(while: { $0.isSpace || $0 == UInt8(ascii: "/") })
    guard place < html.endIndex, html[place] != UInt8(ascii: ">") else { return nil }
    let name = text(while: { !$0.isSpace && !"=/>".utf8.contains($0) }).lowercased()
    _ = text(while: \.isSpace)
    guard take(UInt8(ascii: "=")) else { return (name, "") }
    _ = text(while: \.isSpace)
    for quote in "\"'".utf8 where take(quote) {
      let value = text(while: { $0 != quote })
      _ = take(quote)
      return (name, value)
    }
    return (name, text(while: { !$0.isSpace && $0 != UInt8(ascii: ">") }))
  }

  private mutating func text(while isTaken: (UInt8) -> Bool) -> String {
    let text = html[place...].prefix(while: isTaken)
    place = text.endIndex
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard place < html.endIndex, html[place] == byte else { return false }
    place += 1
    return true
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(self) }
}
