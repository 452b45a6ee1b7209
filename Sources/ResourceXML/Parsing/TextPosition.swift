/// A line and a column, both from 1, of the byte that comes next.
struct TextPosition: Sendable {
  var line = 1
  var column = 1
  /// The last byte was CR: a LF now belongs to the same line end.
  private var isAfterReturn = false

  /// Moves over bytes.
  mutating func advance(over bytes: Span<UInt8>) {
    for i in 0..<bytes.count {
      let byte = bytes[i]
      if byte == .lineFeed, isAfterReturn {
        isAfterReturn = false
        continue
      }
      isAfterReturn = byte == .carriageReturn
      if byte == .lineFeed || isAfterReturn {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }
}

extension XMLError {
  /// The error of a failure in `bytes`, the first of which is at `start`.
  init(_ failure: Failure, in bytes: Span<UInt8>, from start: TextPosition) {
    let offset = Swift.min(Swift.max(failure.offset, 0), bytes.count)
    var position = start
    position.advance(over: bytes.extracting(0..<offset))
    self.init(
      kind: failure.kind, message: failure.text, line: position.line, column: position.column,
      snippet: bytes.snippet(around: offset))
  }
}

extension Span<UInt8> {
  /// At most 40 characters on both sides of an offset.
  func snippet(around offset: Int) -> String {
    let before = string(Swift.max(0, offset - 160)..<offset).suffix(40)
    let after = string(offset..<Swift.min(count, offset + 160)).prefix(40)
    let text = (before + after).map { $0.isWhitespace ? " " : $0 }
    return String(text.drop { $0 == "\u{FFFD}" })
  }
}
