internal import ResourcePrimitives

/// An error inside the parser. It is cheap to throw, because it has an offset into the input
/// instead of line and column.
struct Failure: Error {
  var kind: XMLError.Kind
  var message: StaticString
  /// The offset in the bytes that were passed to the failing function.
  var offset: Int
  /// The name that the message is about.
  var name: String?
  /// Whether the input ended within a token, so that more input may complete it.
  var isEnd = false

  init(_ kind: XMLError.Kind, _ message: StaticString, at offset: Int, name: String? = nil) {
    self.kind = kind
    self.message = message
    self.offset = offset
    self.name = name
  }

  static func syntax(_ message: StaticString, at offset: Int) -> Failure {
    Failure(.syntax, message, at: offset)
  }

  static func end(at offset: Int) -> Failure {
    var failure = Failure(.unexpectedEnd, "the document ends too early", at: offset)
    failure.isEnd = true
    return failure
  }

  var text: String {
    name.map { "\(message): \($0)" } ?? "\(message)"
  }
}

/// The line and column of the next byte, both counted from 1.
struct TextPosition: Sendable {
  var line = 1
  var column = 1
  /// Whether the last byte was CR. A following LF belongs to the same line end.
  private var isAfterReturn = false

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
  /// Creates the error for a failure in `bytes`, which begin at `start`.
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
  /// Returns at most 40 characters on each side of an offset, without control characters, and
  /// without values whose names show that they are secret.
  func snippet(around offset: Int) -> String {
    let (start, end) = (boundary(offset - 40), boundary(offset + 40))
    let text = Snippet.redacted(start..<end, of: self)
    return String(text.map { $0.isWhitespace ? " " : $0 }).printable
  }

  /// Returns the nearest offset, at or before an offset, that isn't inside a character.
  private func boundary(_ offset: Int) -> Int {
    var index = Swift.min(Swift.max(0, offset), count)
    while index > 0, index < count, self[index] & 0xC0 == 0x80 { index -= 1 }
    return index
  }
}
