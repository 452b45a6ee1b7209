import Foundation

/// Text as a terminal can show it.
enum PlainText {
  /// The text on one line: every run of white space is one space, and nothing is in it that a terminal
  /// would obey rather than show.
  ///
  /// - Returns: `nil` if nothing is left.
  static func line(_ text: String) -> String? {
    let words = text.unicodeScalars.split { $0.properties.isWhitespace || isControl($0) }
      .map { String($0.filter { !isInvisible($0) }) }
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

  /// A `<` is a tag only before a letter, `/` or `!`, so that `1 < 2` stays.
  private static func withoutTags(_ html: String) -> String {
    html.replacing(#/<[A-Za-z\/!][^>]*>/#, with: "")
  }

  private static func unescaped(_ text: String) -> String {
    guard text.contains("&") else { return text }
    return text.replacing(#/&(#?[A-Za-z0-9]{1,8});/#) { match in
      character(String(match.1)) ?? String(match.0)
    }
  }

  private static func character(_ name: String) -> String? {
    guard name.hasPrefix("#") else { return named[name] }
    let isHex = name.dropFirst().lowercased().hasPrefix("x")
    let digits = name.dropFirst(isHex ? 2 : 1)
    return UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init).map { String($0) }
  }

  /// The characters that feeds name most, by their names in HTML.
  static let named = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "ndash": "–",
    "mdash": "—", "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”",
    "laquo": "«", "raquo": "»", "euro": "€", "copy": "©", "eacute": "é", "egrave": "è",
    "auml": "ä", "ouml": "ö", "uuml": "ü", "szlig": "ß", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü",
    "aacute": "á", "iacute": "í", "oacute": "ó", "uacute": "ú", "agrave": "à", "ccedil": "ç",
    "ntilde": "ñ", "aring": "å", "oslash": "ø", "aelig": "æ", "ecirc": "ê", "acirc": "â",
    "times": "×", "deg": "°", "middot": "·", "bull": "•", "trade": "™", "reg": "®",
    "pound": "£", "sect": "§", "shy": "\u{AD}", "frac12": "½", "rarr": "→", "larr": "←",
  ]
}
