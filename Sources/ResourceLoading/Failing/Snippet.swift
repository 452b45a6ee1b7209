import Foundation

/// Short pieces of a body that can be shown on one line.
enum Snippet {
  /// The beginning of a body: at most 120 characters of text, or nothing if it isn't UTF-8 text.
  static func start(of body: Data) -> String {
    let head = body.prefix(480)
    // A cut may go through a character: up to three bytes at the end may be a part of one.
    for cut in 0...3 where cut <= head.count {
      guard let text = String(bytes: head.dropLast(cut), encoding: .utf8) else { continue }
      guard !text.unicodeScalars.contains(where: isBinary) else { return "" }
      let line = oneLine(text)
      return line.count > 120 || body.count > head.count ? line.prefix(120) + "…" : line
    }
    return ""
  }

  /// The text around a position: some 30 bytes before it and 50 from it on.
  static func around(_ offset: Int, in bytes: [UInt8]) -> String {
    let start = boundary(max(0, min(offset, bytes.count) - 30), in: bytes)
    let end = boundary(min(bytes.count, offset + 50), in: bytes)
    let text = oneLine(String(decoding: bytes[start..<end], as: UTF8.self))
    return (start > 0 ? "…" : "") + text + (end < bytes.count ? "…" : "")
  }

  /// The text with every run of white space as one space.
  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
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
