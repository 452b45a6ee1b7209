extension StringProtocol {
  /// The columns of a terminal that the text takes.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Returns the text if it fits into the columns, else its beginning with an ellipsis.
  func truncated(to width: Int) -> String {
    columns > width ? beginning(of: width - 1) + "…" : String(self)
  }

  /// Returns the text in lines of at most so many columns, broken at spaces. A longer word is
  /// broken, too.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for word in split(separator: " ") {
      if let line = lines.last, line.columns + 1 + word.columns <= width {
        lines[lines.count - 1] = line + " " + word
        continue
      }
      var rest = word[...]
      while !rest.isEmpty {
        let piece = rest.beginning(of: Swift.max(width, 2))
        lines.append(piece)
        rest = rest.dropFirst(piece.count)
      }
    }
    return lines
  }

  /// Returns the longest beginning that fits into so many columns.
  private func beginning(of width: Int) -> String {
    var room = width
    return String(
      prefix { character in
        room -= character.columns
        return room >= 0
      })
  }
}

extension Character {
  /// 2 for wide characters of East Asian scripts and emoji (UAX #11), 0 for those that only change
  /// others, else 1.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    // The second condition is the variation selector for the coloured form of a sign.
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
