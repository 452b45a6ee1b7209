import Foundation
import ResourceLoading

/// Text as a terminal can show it.
enum PlainText {
  /// The text on one line: every run of white space is one space, and nothing is in it that a terminal
  /// would obey rather than show.
  ///
  /// - Returns: `nil` if nothing is left.
  static func line(_ text: String) -> String? {
    let words = text.unicodeScalars.map(\.asWindows1252).split {
      $0.properties.isWhitespace || isControl($0)
    }
    .map { String(String.UnicodeScalarView($0.filter { !isInvisible($0) })) }
    .filter { !$0.isEmpty }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  /// HTML as text on one line: tags are left out, the common character references are read.
  static func line(ofHTML html: String) -> String? {
    line(unescaped(withoutTags(html)))
  }

  /// A line with its spaces, without what a terminal would obey.
  static func visible(_ line: some StringProtocol) -> String {
    String(
      String.UnicodeScalarView(line.unicodeScalars.filter { !isControl($0) && !isInvisible($0) }))
  }

  /// A document of JSON whose characters that a terminal would obey are escaped; they can only stand in its
  /// texts.
  static func escapedJSON(_ document: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in document.unicodeScalars {
      if scalar != "\n", isControl(scalar) || isInvisible(scalar) {
        let digits = String(scalar.value, radix: 16)
        let zeros = String(repeating: "0", count: 4 - digits.count)
        escaped.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
      } else {
        escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }

  /// Scalars that turn the direction of everything behind them, and byte order marks.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  /// A `<` is a tag only before a letter, `/` or `!`, so that `1 < 2` stays. A tag that begins a line of its own
  /// keeps the words around it apart.
  private static func withoutTags(_ html: String) -> String {
    html.replacing(#/(?i)<(script|style)\b.*?<\/\1\s*>/#.dotMatchesNewlines(), with: "")
      .replacing(#/(?i)<\/?(br|p|div|li|ul|ol|tr|td|th|h[1-6]|hr|blockquote)\b[^>]*>/#, with: " ")
      .replacing(#/<[A-Za-z\/!][^>]*>/#, with: "")
  }

  private static func unescaped(_ text: String) -> String {
    guard text.contains("&") else { return text }
    return text.replacing(#/&(#?[A-Za-z0-9]{1,8});/#) { match in
      character(String(match.1)) ?? String(match.0)
    }
  }

  private static func character(_ name: String) -> String? {
    guard name.hasPrefix("#") else { return HTMLEntities.character(name) }
    return codePoint(name).flatMap(Unicode.Scalar.init).map { String($0) }
  }

  /// The code point that a reference such as `#233` or `#xE9` names; `nil` if it names none.
  static func codePoint(_ name: String) -> UInt32? {
    let isHex = name.dropFirst().lowercased().hasPrefix("x")
    return UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
  }
}

extension Unicode.Scalar {
  /// What was meant by a control character of those that windows-1252 has letters and quotes for: texts in it are
  /// often said to be ISO-8859-1, and HTML has references to them.
  var asWindows1252: Unicode.Scalar {
    guard (0x80..<0xA0).contains(value) else { return self }
    return Unicode.Scalar(TextEncoding.windows1252Scalars[Int(value) - 0x80]) ?? self
  }
}
