extension StringProtocol {
  /// The text on one line with all of its content visible: whatever would control a terminal, break
  /// a line of a log or change the direction of text is escaped, such as `\u{1B}`. Everything from
  /// outside that people see goes through this.
  package var printable: String {
    // Most texts are plain ASCII.
    if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(self) }
    return unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isUnprintable:
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character (C0, C1), a separator of lines, a mark of direction, or an
  /// invisible letter of the block of tags.
  package var isUnprintable: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
      0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }
}
