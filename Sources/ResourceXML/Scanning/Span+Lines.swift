extension Span<UInt8> {
  /// The comment at `i`, which moves behind it.
  func comment(_ i: inout Int) throws(Failure) -> Range<Int> {
    guard try has("<!--", at: i) else { throw .syntax("“<!--” is expected", at: i) }
    let start = i + 4
    var end = start
    while true {
      guard let hyphen = first(.hyphen, from: end) else { throw .end(at: count) }
      end = hyphen
      if try byte(at: end + 1) == .hyphen { break }
      end += 1
    }
    guard try byte(at: end + 2) == .greaterThan else {
      throw .syntax("“--” isn't allowed in comments", at: end)
    }
    i = end + 3
    return start..<end
  }

  /// The text of a range with its line ends as line feeds (section 2.11).
  func lines(_ range: Range<Int>) -> String {
    let part = extracting(range)
    guard part.first(.carriageReturn, from: 0) != nil else { return string(range) }
    var text: [UInt8] = []
    for i in 0..<part.count {
      if part[i] != .carriageReturn {
        text.append(part[i])
      } else if i + 1 == part.count || part[i + 1] != .lineFeed {
        text.append(.lineFeed)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
