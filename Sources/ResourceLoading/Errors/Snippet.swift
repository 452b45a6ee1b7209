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

  /// The text around a position: some 30 bytes before it and 50 from it on, without what is secret by its name.
  static func around(_ offset: Int, in bytes: [UInt8]) -> String {
    let offset = min(offset, bytes.count)
    // A secret may begin long before the text that is shown.
    let window = Array(bytes[max(0, offset - memory)..<min(bytes.count, offset + 50)])
    let findings = SecretText.findings(in: window)
    let place = min(offset, memory)
    var start = boundary(max(0, place - 30), in: window)
    if let hidden = findings.first(where: { $0.range.contains(start) }) {
      start = hidden.range.lowerBound
    }
    let end = boundary(window.count, in: window)
    let text = oneLine(
      String(decoding: SecretText.redact(window[start..<end], findings), as: UTF8.self))
    let isWhole = offset - place + end >= bytes.count
    return (offset - place + start > 0 ? "…" : "") + text + (isWhole ? "" : "…")
  }

  /// How many bytes before a position are looked at for the name of a secret that it may be in.
  private static let memory = 1 << 16

  /// The text with every run of white space as one space, and nothing that steers a terminal.
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
