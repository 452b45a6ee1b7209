import ResourceFeeds

extension StringProtocol {
  /// The columns of a terminal that the text takes.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text if it fits, else its beginning with an ellipsis, in at most so many columns.
  func truncated(to width: Int) -> String {
    guard columns > width else { return String(self) }
    var (kept, used) = ("", 0)
    for character in self {
      used += character.columns
      guard used < width else { break }
      kept.append(character)
    }
    return kept + "…"
  }

  /// The text in lines of at most so many columns, broken at spaces. A longer word is broken, too.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ").flatMap({ $0.pieces(of: width) }) {
      if line.isEmpty {
        line = word
      } else if line.columns + 1 + word.columns <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = word
      }
    }
    return lines + (line.isEmpty ? [] : [line])
  }

  private func pieces(of width: Int) -> [String] {
    var pieces: [String] = []
    var (piece, used) = ("", 0)
    for character in self {
      if used + character.columns > width, !piece.isEmpty {
        pieces.append(piece)
        (piece, used) = ("", 0)
      }
      piece.append(character)
      used += character.columns
    }
    return piece.isEmpty ? pieces : pieces + [piece]
  }
}

extension Character {
  /// 2 for what East Asian scripts and emoji draw wide (UAX #11), 0 for what only changes others, else 1.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    // The second asks for the coloured form of a sign that has a plain one too.
    if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return first == "\u{AD}" ? 1 : 0
    default: break
    }
    return switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}

extension PlainText {
  /// Returns a line with its spaces, without what a terminal would obey.
  static func visible(_ line: some StringProtocol) -> String {
    String(String.UnicodeScalarView(line.unicodeScalars.filter { !$0.isUnfitForTerminal }))
  }

  /// Returns a document of JSON in which the characters are escaped that a terminal would obey; they can only
  /// stand in its strings.
  static func escapedJSON(_ document: String) -> String {
    var escaped = ""
    for scalar in document.unicodeScalars {
      if scalar != "\n", scalar.isUnfitForTerminal {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
