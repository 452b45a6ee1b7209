/// XML Schema's lexical forms. White space around them is ignored.
extension Span<UInt8> {
  /// Whether the text is empty or only white space.
  var isBlank: Bool { skipSpace(from: 0) == count }

  /// The range without white space at the ends.
  var trimmedRange: Range<Int> {
    let start = skipSpace(from: 0)
    var end = count
    while end > start, self[end - 1].isXMLSpace { end -= 1 }
    return start..<end
  }

  /// The items of an `xs:list`, which are separated by white space.
  var listItems: [Range<Int>] {
    var items: [Range<Int>] = []
    var i = skipSpace(from: 0)
    while i < count {
      let start = i
      while i < count, !self[i].isXMLSpace { i += 1 }
      items.append(start..<i)
      i = skipSpace(from: i)
    }
    return items
  }

  /// `xs:integer` in the range of the type.
  func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    let range = trimmedRange
    var i = range.lowerBound
    guard i < range.upperBound else { return nil }
    let isNegative = self[i] == .hyphen
    if isNegative || self[i] == .plus { i += 1 }
    guard i < range.upperBound else { return nil }
    var value: T = 0
    while i < range.upperBound {
      guard self[i].isASCIIDigit else { return nil }
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      guard !overflows, let digit = T(exactly: self[i] - 0x30) else { return nil }
      let (sum, fails) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      guard !fails else { return nil }
      value = sum
      i += 1
    }
    return value
  }

  /// `xs:boolean`; upper case is accepted.
  var boolean: Bool? {
    switch string(trimmedRange).lowercased() {
    case "true", "1": true
    case "false", "0": false
    default: nil
    }
  }

  /// `xs:double`.
  var double: Double? {
    let text = string(trimmedRange)
    switch text {
    case "INF", "+INF": return .infinity
    case "-INF": return -.infinity
    case "NaN": return .nan
    default: break
    }
    // XML Schema doesn't have Swift's forms of infinity, NaN and hexadecimal.
    let isDecimal = text.utf8.allSatisfy {
      $0.isASCIIDigit || $0 == .plus || $0 == .hyphen || $0 == 0x2E || $0 | 0x20 == 0x65
    }
    return isDecimal ? Double(text) : nil
  }

  /// Returns the text with white space treated by a strategy.
  ///
  /// - Parameter kept: A range that isn't trimmed.
  func string(_ strategy: XMLDecoder.WhitespaceStrategy, kept: Range<Int>? = nil) -> String {
    switch strategy {
    case .preserved: return string(0..<count)
    case .trimmed:
      guard let kept else { return string(trimmedRange) }
      let range = trimmedRange
      // The trimmed range of blank text is empty and at its end.
      guard !range.isEmpty else { return string(kept) }
      return string(
        Swift.min(range.lowerBound, kept.lowerBound)..<Swift.max(range.upperBound, kept.upperBound))
    case .collapsed: break
    }
    var result: [UInt8] = []
    for i in trimmedRange {
      if !self[i].isXMLSpace {
        result.append(self[i])
      } else if result.last != .space {
        result.append(.space)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
