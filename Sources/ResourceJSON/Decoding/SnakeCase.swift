internal import Foundation

extension String {
  /// The name that a key strategy makes of one in snake case, exactly as Foundation's does: underscores at either end stay;
  /// of the words between the first is lowercased and the others are capitalized, unless there is only one.
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
  /// Whether a name in the text turns into that of a key.
  ///
  /// What has only small letters, digits and underscores is compared as it is read, without making a string.
  @inline(__always)
  func matchesCamelCase(_ key: KeyName, _ name: IndexWord) -> Bool {
    guard name.kind == .ascii else { return matchesAsCamelCase(key, name) }
    // Nothing changes the first letter of a small one.
    let first = text[name.offset]
    if first != UInt8(truncatingIfNeeded: key.head), 0x61...0x7A ~= first { return false }
    return camelMatch(key, name) ?? matchesAsCamelCase(key, name)
  }

  @inline(never)
  private func matchesAsCamelCase(_ key: KeyName, _ name: IndexWord) -> Bool {
    string(name).camelCase == key.string
  }

  /// The answer, if it can be known before something comes that isn't simple.
  private func camelMatch(_ key: KeyName, _ name: IndexWord) -> Bool? {
    let end = name.offset &+ name.length
    var offset = name.offset
    var isFirstWord = true
    var isUpper = false
    var utf8 = key.string.utf8.makeIterator()
    while offset < end {
      let byte = text[offset]
      offset &+= 1
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"):
        guard utf8.next() == (isUpper ? byte &- 0x20 : byte) else { return false }
        isUpper = false
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard utf8.next() == byte else { return false }
        // To capitalize takes a letter behind a digit for the first of a word.
        isUpper = !isFirstWord
      case UInt8(ascii: "_"):
        // Neither at an end, nor two in a row.
        guard offset &- 1 > name.offset, offset < end, text[offset] != UInt8(ascii: "_") else {
          return nil
        }
        isFirstWord = false
        isUpper = true
      default: return nil
      }
    }
    return utf8.next() == nil
  }

  /// Whether no two members of an object turn into one name, as far as one can tell in little time.
  func hasDistinctCamelNames(_ object: Int) -> Bool {
    var seen = SIMD8<UInt64>()
    let end = end(of: object)
    var word = object &+ 2
    while word < end {
      let name = self[word]
      guard name.kind == .ascii else { return false }
      var hash: UInt64 = 0
      for offset in name.offset..<name.offset &+ name.length {
        let byte = text[offset] | 0x20
        if byte != 0x7F { hash = (hash ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15 }
      }
      let lane = Int(truncatingIfNeeded: hash &>> 61)
      let bit: UInt64 = 1 &<< (hash &>> 55 & 63)
      if seen[lane] & bit != 0, isRepeatedCamelName(word, in: object) { return false }
      seen[lane] |= bit
      word = next(word &+ 1)
    }
    return true
  }

  private func isRepeatedCamelName(_ word: Int, in object: Int) -> Bool {
    let name = string(self[word]).camelCase
    var other = object &+ 2
    while other < word {
      if string(self[other]).camelCase == name { return true }
      other = next(other &+ 1)
    }
    return false
  }
}
