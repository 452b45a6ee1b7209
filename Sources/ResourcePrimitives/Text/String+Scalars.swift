extension UInt8 {
  /// Whether this is one of `0` to `9`.
  package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

  /// Whether this is one of `a` to `z` or `A` to `Z`.
  package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
}

// Syntax is searched for among scalars, never among characters. A combining accent after a
// delimiter forms one character with it, which no longer equals the delimiter, and other scalars
// equal one as characters, such as the Greek question mark `;`. A server or a shell that reads
// bytes sees the delimiter only in the first case.

extension StringProtocol {
  /// Returns the parts between delimiters.
  package func parts(
    between delimiter: Unicode.Scalar, maxSplits: Int = .max, omittingEmpty: Bool = true
  ) -> [Substring] {
    Substring(self).unicodeScalars
      .split(separator: delimiter, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmpty)
      .map { Substring($0) }
  }

  /// Returns the text before and after the first delimiter; `nil` if there is none.
  package func cut(at delimiter: Unicode.Scalar) -> (before: Substring, behind: Substring)? {
    let scalars = Substring(self).unicodeScalars
    guard let place = scalars.firstIndex(of: delimiter) else { return nil }
    return (
      Substring(scalars[..<place]), Substring(scalars[scalars.index(after: place)...])
    )
  }

  /// Returns the text with some scalars replaced.
  package func replacing(_ replacements: [Unicode.Scalar: String]) -> String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if let replacement = replacements[scalar] {
        text += replacement
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns the beginning of the text, at most a number of scalars. A character can have any
  /// number of them.
  package func prefix(scalars count: Int) -> String {
    String(Substring(self).unicodeScalars.prefix(count))
  }

  /// Returns the text, or its first scalars followed by an ellipsis.
  package func shortened(to count: Int) -> String {
    let start = prefix(scalars: count)
    return start.utf8.count < utf8.count ? start + "…" : start
  }

  /// Whether the text consists of ASCII digits, of which it has at least one.
  package var hasOnlyDigits: Bool { !isEmpty && utf8.allSatisfy(\.isASCIIDigit) }

  /// Returns whether the text as a whole is a decimal number: digits with or without a sign and a
  /// point, and with an exponent if one is allowed. Of any other text, such as `2024-01-05`,
  /// Foundation's `Decimal` would read the beginning.
  package func isDecimalNumber(withExponent: Bool = false) -> Bool {
    let bytes = Array(utf8)
    var offset = 0
    func skipSign() {
      if offset < bytes.count, "+-".utf8.contains(bytes[offset]) { offset += 1 }
    }
    func skipDigits() -> Int {
      let start = offset
      while offset < bytes.count, bytes[offset].isASCIIDigit { offset += 1 }
      return offset - start
    }
    skipSign()
    var count = skipDigits()
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      count += skipDigits()
    }
    guard count > 0 else { return false }
    if withExponent, offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      skipSign()
      guard skipDigits() > 0 else { return false }
    }
    return offset == bytes.count
  }

  /// Returns whether the text begins with the bytes of another one.
  package func begins(with start: String) -> Bool { utf8.starts(with: start.utf8) }

  /// Returns whether the bytes of another text are part of this one.
  ///
  /// Foundation's `contains` finds equivalent texts, too, by tables that it takes from ICU: they
  /// would be most of a small static program.
  package func includes(_ part: String) -> Bool { cut(atText: part) != nil }

  /// Returns the text before and after the first occurrence of another text's bytes; `nil` if there
  /// is none.
  package func cut(atText part: String) -> (before: Substring, behind: Substring)? {
    let text = Substring(self)
    let (bytes, wanted) = (text.utf8, part.utf8)
    let place = bytes.indices.first { bytes[$0...].starts(with: wanted) }
    guard let place else { return nil }
    return (text[..<place], text[bytes.index(place, offsetBy: wanted.count)...])
  }

  /// Returns whether two texts have the same bytes. As strings, `é` equals an `e` followed by a
  /// combining accent.
  package func hasSameBytes(as other: some StringProtocol) -> Bool {
    utf8.elementsEqual(other.utf8)
  }

  /// Returns the text without the spaces and tabs around it (RFC 9110 section 5.6.3).
  package func trimmingSpaces() -> String {
    trimming { $0 == " " || $0 == "\t" }
  }

  /// Returns the text without the white space around it, line breaks and that of Unicode included.
  package func trimmingWhitespace() -> String { trimming(\.properties.isWhitespace) }

  private func trimming(_ isSpace: (Unicode.Scalar) -> Bool) -> String {
    let scalars = Substring(self).unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }
}

extension String {
  /// Returns whether two texts have the same bytes.
  func hasSameBytes(as other: String) -> Bool {
    // Equal texts in ASCII, as most are, have the same bytes.
    self == other && (hasOnlyBytes { $0 < 0x80 } || utf8.elementsEqual(other.utf8))
  }

  /// Returns whether a path is this one or below it, segment by segment (RFC 6265 section 5.1.4).
  package func contains(path: String) -> Bool {
    guard path.begins(with: self) else { return false }
    let rest = path.utf8.dropFirst(utf8.count)
    return rest.isEmpty || utf8.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
  }

  /// Returns whether a test holds for all bytes in UTF-8. It reads them in place, several times as
  /// fast as a view does.
  package func hasOnlyBytes(where isAllowed: (UInt8) -> Bool) -> Bool {
    unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.allSatisfy(isAllowed) }
      ?? utf8.allSatisfy(isAllowed)
  }
}

extension String? {
  /// Returns whether two texts have the same bytes, or are both missing.
  package func hasSameBytes(as other: String?) -> Bool {
    self == other && (self ?? "").hasSameBytes(as: other ?? "")
  }
}
