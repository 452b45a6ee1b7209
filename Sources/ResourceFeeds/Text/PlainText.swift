internal import Foundation
internal import ResourcePrimitives

/// Text from any source that is safe to show on a terminal or in a log.
package enum PlainText {
  /// Returns a text on one line; `nil` if nothing is left. Every run of white space and control
  /// characters becomes one space. Invisible characters, and those that change the direction of
  /// others, are removed.
  package static func line(_ text: String) -> String? {
    var line = String.UnicodeScalarView()
    var isBetweenWords = false
    for scalar in text.unicodeScalars.lazy.map(\.asWindows1252) {
      if scalar.properties.isWhitespace || scalar.isControl {
        isBetweenWords = !line.isEmpty
      } else if !scalar.isDirectionOrHidden {
        if isBetweenWords { line.append(" ") }
        isBetweenWords = false
        line.append(scalar)
      }
    }
    return line.isEmpty ? nil : String(line)
  }

  /// Returns the text of HTML on one line, as ``line(_:)`` does; `nil` if nothing is left.
  package static func line(ofHTML html: String) -> String? {
    line(HTMLText.text(of: html))
  }

  /// Returns a text without control characters, invisible characters, and characters that change
  /// the direction of others. White space is kept except for tabs and line breaks.
  package static func visible(_ text: some StringProtocol) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter(\.isShown)))
  }

  /// Returns the same JSON document with the characters that ``visible(_:)`` removes as escapes, so
  /// that a terminal shows all of it. Line breaks are kept. The document must be as an encoder
  /// writes it, without control characters in its strings.
  package static func escapedJSON(_ json: String) -> String {
    json.unicodeScalars.reduce(into: "") { escaped, scalar in
      if scalar.isShown || scalar == "\n" {
        escaped.unicodeScalars.append(scalar)
      } else {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isShown: Bool { !isControl && !isDirectionOrHidden }

  /// Whether this is a control character or a separator of lines or paragraphs.
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// Whether this is a mark that changes the direction of text, a tag character, or another
  /// invisible character.
  ///
  /// Joiners aren't included, because scripts and emoji need them.
  fileprivate var isDirectionOrHidden: Bool {
    switch value {
    case ..<0xAD, 0x200C, 0x200D: false
    // Tag characters, assigned or not, and the marks of interlinear annotation.
    case 0xE0000...0xE00FF, 0xFFF9...0xFFFB: true
    default:
      properties.generalCategory == .format && properties.isDefaultIgnorableCodePoint
    }
  }

  /// The windows-1252 character in place of a control character, because texts in windows-1252 are
  /// often declared as ISO-8859-1, and HTML has references to such characters.
  var asWindows1252: Unicode.Scalar {
    guard (0x80..<0xA0).contains(value) else { return self }
    return Unicode.Scalar(TextEncoding.windows1252Scalars[Int(value) - 0x80]) ?? self
  }
}
