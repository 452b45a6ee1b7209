internal import ResourceLoading

/// Text on one line, fit for a terminal.
package enum PlainText {
  /// Returns the text on one line: every run of white space and control characters is one space, and what
  /// would be obeyed rather than shown is gone.
  ///
  /// - Returns: `nil` if nothing is left.
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

  /// Returns the text of HTML on one line, as ``line(_:)`` does.
  package static func line(ofHTML html: String) -> String? {
    line(HTMLText.text(of: html))
  }
}

extension Unicode.Scalar {
  /// Whether a terminal would obey the character, or show others differently because of it.
  package var isUnfitForTerminal: Bool { isControl || isDirectionOrHidden }

  /// Whether this is a control character, or a separator of lines or paragraphs.
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// Whether this is a mark that turns the direction of text, a tag character, or another that is never seen.
  ///
  /// Joiners stay: scripts and emoji are made with them.
  fileprivate var isDirectionOrHidden: Bool {
    switch value {
    case ..<0xAD, 0x200C, 0x200D: false
    // Tag characters, assigned or not, and the marks of interlinear annotation.
    case 0xE0000...0xE00FF, 0xFFF9...0xFFFB: true
    default:
      properties.generalCategory == .format && properties.isDefaultIgnorableCodePoint
    }
  }

  /// The character of windows-1252 in the place of a control character: texts in it are often said to be
  /// ISO-8859-1, and HTML has references to them.
  var asWindows1252: Unicode.Scalar {
    guard (0x80..<0xA0).contains(value) else { return self }
    return Unicode.Scalar(TextEncoding.windows1252Scalars[Int(value) - 0x80]) ?? self
  }
}
