internal import Foundation

extension String {
  /// The name in camel case, exactly as Foundation converts it: underscores at either end stay; of
  /// the words between, the first is lowercased and the others are capitalized, unless there is
  /// only one.
  var camelCase: String {
    guard !isEmpty, let first = firstIndex(where: { $0 != "_" }),
      let last = lastIndex(where: { $0 != "_" })
    else { return self }
    let words = self[first...last].split(separator: "_")
    guard words.count > 1 else { return self }
    let joined =
      words[0].lowercased() + words.dropFirst().map { String($0).capitalized }.joined()
    return self[..<first] + joined + self[index(after: last)...]
  }
}

extension JSONDocument {
  /// Returns whether the camel case of a name in the text is the name of a key.
  ///
  /// A name of only lower-case letters, digits and underscores is compared without making a string.
  @inline(__always)
  func matchesCamelCase(_ key: KeyName, _ name: String, _ word: IndexWord) -> Bool {
    guard word.kind == .ascii else { return matchesAsCamelCase(name, word) }
    // The conversion keeps a lower-case first letter, and makes no name longer.
    let first = text[word.offset]
    if first != UInt8(truncatingIfNeeded: key.head), 0x61...0x7A ~= first { return false }
    guard word.length > key.count else {
      return text.matches(key, name, at: word.offset, word.length) && innerUnderscores(word) == 0
    }
    return text.matchesInCamelCase(name, at: word.offset, word.length)
      ?? matchesAsCamelCase(name, word)
  }

  @inline(never)
  private func matchesAsCamelCase(_ name: String, _ word: IndexWord) -> Bool {
    string(word).camelCase == name
  }

  /// Returns the number of underscores that aren't at one of the ends of a name.
  func innerUnderscores(_ name: IndexWord) -> Int {
    var (start, end) = (name.offset, name.offset &+ name.length)
    while start < end, text[start] == UInt8(ascii: "_") { start &+= 1 }
    while end > start, text[end &- 1] == UInt8(ascii: "_") { end &-= 1 }
    var count = 0
    while start < end {
      if text[start] == UInt8(ascii: "_") { count &+= 1 }
      start &+= 1
    }
    return count
  }
}
