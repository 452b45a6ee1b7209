/// Reads the text in HTML, in one pass and in time proportional to its length, whatever the HTML looks like.
///
/// A `<` begins a tag only before a letter, `/`, `!` or `?`, so that `1 < 2` stays. Elements that begin a
/// line of their own keep the words around them apart; scripts and style sheets are no text.
struct HTMLText {
  private let html: [UInt8]
  private var text: [UInt8] = []
  private var place = 0

  /// What was looked for and doesn't stand anywhere behind the place. Looking for it again from every place
  /// would take time by the square of the length.
  private var missing: Set<[UInt8]> = []
  private var hasTagEnd = true

  private init(_ html: String) { self.html = Array(html.utf8) }

  /// Returns the text of HTML, its white space as it is.
  static func text(of html: String) -> String {
    guard html.utf8.contains(where: { $0 == .lessThan || $0 == .ampersand }) else { return html }
    var reader = HTMLText(html)
    reader.read()
    return String(decoding: reader.text, as: UTF8.self)
  }

  /// Returns HTML that means the text and nothing else.
  static func escaped(_ text: String) -> String {
    var html: [UInt8] = []
    html.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case .ampersand: html += "&amp;".utf8
      case .lessThan: html += "&lt;".utf8
      case UInt8(ascii: ">"): html += "&gt;".utf8
      case UInt8(ascii: "\""): html += "&quot;".utf8
      default: html.append(byte)
      }
    }
    return String(decoding: html, as: UTF8.self)
  }

  private mutating func read() {
    text.reserveCapacity(html.count)
    while place < html.count {
      let isRead =
        switch html[place] {
        case .lessThan: skipTag()
        case .ampersand: readReference()
        default: false
        }
      if isRead { continue }
      text.append(html[place])
      place += 1
    }
  }
}

// MARK: - Tags

extension HTMLText {
  /// Elements that begin and end a line.
  private static let blocks: Set = [
    "br", "p", "div", "li", "ul", "ol", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "blockquote", "dt", "dd", "pre", "figure", "figcaption", "table", "section", "article",
  ]

  /// Steps over a tag, a comment, or an element whose content isn't text.
  ///
  /// - Returns: Whether there was one.
  private mutating func skipTag() -> Bool {
    let start = place + 1
    guard start < html.count, html[start].isASCIILetter || "/!?".utf8.contains(html[start]) else {
      return false
    }
    if html[start...].starts(with: "!--".utf8),
      let end = end(of: Array("-->".utf8), from: start + 1)
    {
      place = end
      return true
    }
    let name = name(at: html[start] == UInt8(ascii: "/") ? start + 1 : start)
    guard let end = tagEnd(from: start) else { return false }
    place = end
    if Self.blocks.contains(name) { text.append(UInt8(ascii: " ")) }
    if name == "script" || name == "style", html[start] != UInt8(ascii: "/") { skipContent(name) }
    return true
  }

  /// The name of a tag in lower case; no name that matters is longer than 10 characters.
  private func name(at start: Int) -> String {
    let name = html[start...].prefix(11).prefix { $0.isASCIILetter || (0x30...0x39).contains($0) }
    return String(decoding: name, as: UTF8.self).lowercased()
  }

  /// Steps over the content of an element to the end of its closing tag, if it has one.
  private mutating func skipContent(_ name: String) {
    guard let closing = end(of: Array("</\(name)".utf8), from: place),
      let end = tagEnd(from: closing)
    else { return }
    place = end
  }

  /// Returns the place behind the `>` that ends a tag. In a quoted value it doesn't.
  private mutating func tagEnd(from start: Int) -> Int? {
    var index = start
    var isValue = false
    while hasTagEnd, index < html.count {
      switch html[index] {
      case UInt8(ascii: ">"): return index + 1
      case UInt8(ascii: "="): isValue = true
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if isValue, let end = end(of: [html[index]], from: index + 1) { index = end - 1 }
        isValue = false
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
      default: isValue = false
      }
      index += 1
    }
    hasTagEnd = false
    return nil
  }

  /// Returns the place behind the next copy of a text, which is in lower case and may be in any.
  private mutating func end(of wanted: [UInt8], from start: Int) -> Int? {
    guard !missing.contains(wanted) else { return nil }
    var index = start
    while index + wanted.count <= html.count {
      if wanted.indices.allSatisfy({ html[index + $0].lowercased == wanted[$0] }) {
        return index + wanted.count
      }
      index += 1
    }
    missing.insert(wanted)
    return nil
  }
}

// MARK: - References

extension HTMLText {
  /// Reads a character reference that ends in a semicolon. Others stay as they are.
  ///
  /// - Returns: Whether there was one.
  private mutating func readReference() -> Bool {
    let name = html[(place + 1)...].prefix(12).prefix { $0 != UInt8(ascii: ";") }
    guard name.endIndex < html.count, html[name.endIndex] == UInt8(ascii: ";"),
      let character = HTMLEntities.character(String(decoding: name, as: UTF8.self))
    else { return false }
    text += character.utf8
    place = name.endIndex + 1
    return true
  }
}

extension UInt8 {
  fileprivate static let lessThan = UInt8(ascii: "<")
  fileprivate static let ampersand = UInt8(ascii: "&")

  fileprivate var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

  /// The same letter in lower case.
  fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
