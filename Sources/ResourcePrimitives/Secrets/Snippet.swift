package import Foundation

/// Short excerpts of a body on one line.
package enum Snippet {
  /// Returns the beginning of a body: at most 120 characters, or nothing if the body isn't UTF-8
  /// text.
  package static func start(of body: Data) -> String {
    let head = body.prefix(480)
    // The cut may be within a character: up to three bytes at the end may be a part of one.
    for cut in 0...3 where cut <= head.count {
      guard let text = String(bytes: head.dropLast(cut), encoding: .utf8) else { continue }
      guard !text.unicodeScalars.contains(where: isBinary) else { return "" }
      let line = oneLine(text)
      return line.count > 120 || body.count > head.count ? line.prefix(120) + "…" : line
    }
    return ""
  }

  /// Returns a piece of a text without values that are secret by their names, which may be before
  /// the piece. `text` may begin 64 KiB before the piece, because earlier names aren't seen.
  package static func redacted(_ piece: Range<Int>, of text: Span<UInt8>) -> String {
    let start = max(0, piece.lowerBound - memory)
    var window: [UInt8] = []
    for place in start..<piece.upperBound { window.append(text[place]) }
    let findings = SecretText.findings(in: window)
    let (lower, upper) = (piece.lowerBound - start, piece.upperBound - start)
    let first = findings.first { $0.range.contains(lower) }?.range.lowerBound ?? lower
    return String(decoding: SecretText.redact(window[first..<upper], findings), as: UTF8.self)
  }

  /// Returns the text around a position, some 30 bytes before and 50 after it, without values that
  /// are secret by their names.
  package static func around(_ offset: Int, in bytes: [UInt8]) -> String {
    let offset = min(offset, bytes.count)
    let start = boundary(max(0, offset - 30), in: bytes)
    let end = boundary(min(bytes.count, offset + 50), in: bytes)
    let text = oneLine(redacted(start..<end, of: bytes.span))
    return (start > 0 ? "…" : "") + text + (end < bytes.count ? "…" : "")
  }

  /// The bytes before a position that are searched for the name of a secret.
  private static let memory = 1 << 16

  /// Returns the text with every run of white space as one space and without control characters.
  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ").printable
  }

  private static func boundary(_ offset: Int, in bytes: [UInt8]) -> Int {
    var offset = offset
    while offset > 0, offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
    return offset
  }

  private static func isBinary(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 && !["\t", "\n", "\r", "\u{C}"].contains(scalar)
  }
}
