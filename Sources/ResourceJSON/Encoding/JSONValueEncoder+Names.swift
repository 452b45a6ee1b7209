internal import Foundation

extension JSONValueEncoder {
  /// Returns the name of a member, as the strategy for keys has it.
  @inline(__always)
  func name(of key: some CodingKey) -> String {
    switch output.settings.naming {
    case .plain: key.stringValue
    case .snakeCase: key.stringValue.snakeCase
    case .custom: converted(key)
    }
  }

  @inline(never)
  private func converted(_ key: some CodingKey) -> String {
    guard case .custom(let convert) = output.settings.keys else { return key.stringValue }
    return convert(containerPath + [key]).stringValue
  }
}

extension String {
  /// The name in snake case, exactly as `JSONEncoder` converts it.
  ///
  /// A capital letter begins a word. Of several capitals the last begins another, if a lower-case
  /// letter follows.
  var snakeCase: String {
    guard utf8.allSatisfy(\.isInName) else { return snakeCaseOfCharacters }
    guard utf8.contains(where: { 0x41...0x5A ~= $0 }) else { return self }
    let bytes = Array(utf8)
    var name: [UInt8] = []
    name.reserveCapacity(bytes.count + 8)
    for word in bytes.words(isUpper: { 0x41...0x5A ~= $0 }, isLower: { 0x61...0x7A ~= $0 }) {
      if word.startIndex > 0 { name.append(UInt8(ascii: "_")) }
      for byte in word { name.append(0x41...0x5A ~= byte ? byte | 0x20 : byte) }
    }
    return String(decoding: name, as: UTF8.self)
  }

  private var snakeCaseOfCharacters: String {
    let words = Array(self).words(
      isUpper: { $0.category == .uppercaseLetter || $0.category == .titlecaseLetter },
      isLower: { $0.category == .lowercaseLetter })
    return words.map { String($0).lowercased() }.joined(separator: "_")
  }
}

extension UInt8 {
  /// Whether this is a letter, a digit or an underscore.
  fileprivate var isInName: Bool {
    0x41...0x5A ~= self || 0x61...0x7A ~= self || 0x30...0x39 ~= self || self == 0x5F
  }
}

extension Character {
  fileprivate var category: Unicode.GeneralCategory {
    unicodeScalars[unicodeScalars.startIndex].properties.generalCategory
  }
}

extension Array {
  /// The words of a name.
  fileprivate func words(
    isUpper: (Element) -> Bool, isLower: (Element) -> Bool
  ) -> [ArraySlice<Element>] {
    var words: [ArraySlice<Element>] = []
    var start = 0
    var position = Swift.min(1, count)
    while let upper = self[position...].firstIndex(where: isUpper) {
      words.append(self[start..<upper])
      start = upper
      guard let lower = self[upper...].firstIndex(where: isLower) else { break }
      if lower > upper + 1 {
        words.append(self[upper..<lower - 1])
        start = lower - 1
      }
      position = lower + 1
    }
    return words + [self[start...]]
  }
}
