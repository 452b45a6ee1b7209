/// Which bytes of a whole a response holds (RFC 9110 section 14.4).
struct ContentRange: Sendable, Hashable {
  /// 0-based; `nil` for `*`, in a response that has none of it.
  var bytes: ClosedRange<Int>?
  /// How many bytes the whole has; `nil` for `*`.
  var total: Int?

  /// Reads `bytes 0-499/1234`, `bytes 0-499/*` and `bytes */1234`; `nil` for anything else.
  init?(_ text: String) {
    let words = text.trimmingSpaces().split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[1] != "*" {
      guard let total = Self.number(parts[1]) else { return nil }
      self.total = total
    }
    guard parts[0] != "*" else {
      if total == nil { return nil }
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last, total.map({ last < $0 }) ?? true
    else { return nil }
    bytes = first...last
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }
}
