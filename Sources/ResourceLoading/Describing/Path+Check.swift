import Foundation

extension Path {
  /// Checks what can't be checked when a path is made.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` for a text that was said to be encoded and isn't, and for a
  ///   segment that was made of `.` or `..` by a value.
  func check() throws {
    guard !hasEscapedStep else {
      throw LoadError(
        .invalidRequest, "a segment of the path \(encoded.printable) is an escaped \".\" or \"..\"",
        advice: "Servers read it as a step to another path: refuse such a value before")
    }
    let first = encoded.prefix { $0 != "/" }
    guard !PercentEncoding.wholePath.accepts(encoded) || first.contains(":") else { return }
    throw LoadError(
      .invalidRequest, "the path \"\(encoded.printable)\" isn't percent-encoded",
      advice: first.contains(":")
        ? "Begin it with a slash" : "Write it as a literal, or encode it before")
  }

  /// Whether a segment becomes `.` or `..` when it is unescaped, once or twice: some servers take such a step only
  /// after a proxy in front of them has let it pass.
  private var hasEscapedStep: Bool {
    guard encoded.utf8.contains(UInt8(ascii: "%")) else { return false }
    return encoded.split { $0 == "/" || $0 == "?" }.contains { segment in
      guard (3...12).contains(segment.utf8.count), segment.contains("%") else { return false }
      let once = String(segment).removingPercentEncoding ?? ""
      return [".", ".."].contains(once) || [".", ".."].contains(once.removingPercentEncoding ?? "")
    }
  }
}
