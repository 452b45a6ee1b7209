/// Domains below which anyone can register a name, such as `co.uk` and `github.io`
/// (https://publicsuffix.org). A cookie can't be for a whole public suffix.
enum PublicSuffixes {
  /// Returns whether a domain, in lower case, without a dot at its end, and in the form of RFC
  /// 3492, is a public suffix. A single label always is.
  static func contains(_ domain: String) -> Bool {
    guard let dot = domain.firstIndex(of: ".") else { return true }
    if hasRule("!" + domain) { return false }
    // A rule for all domains below one applies to that one, too.
    return hasRule(domain) || hasRule("*" + domain[dot...]) || hasRule("*." + domain)
  }

  private static let bytes = Array(list.utf8)

  /// Returns whether the list has a rule, by binary search.
  private static func hasRule(_ rule: String) -> Bool {
    let wanted = Array(rule.utf8)
    var (lower, upper) = (0, bytes.count)
    while lower < upper {
      let found = self.rule(around: (lower + upper) / 2)
      if bytes[found].elementsEqual(wanted) { return true }
      if bytes[found].lexicographicallyPrecedes(wanted) {
        lower = found.upperBound + 1
      } else {
        upper = found.lowerBound
      }
    }
    return false
  }

  /// Returns the rule at an offset, or the one before it if the offset is within one.
  private static func rule(around place: Int) -> Range<Int> {
    var start = place
    while start > 0, isSpace(bytes[start]) { start -= 1 }
    var end = start
    while start > 0, !isSpace(bytes[start - 1]) { start -= 1 }
    while end < bytes.count, !isSpace(bytes[end]) { end += 1 }
    return start..<end
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A }
}
