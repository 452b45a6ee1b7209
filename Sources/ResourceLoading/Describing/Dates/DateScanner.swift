/// Steps over the parts of a date's text, without regard to the case of ASCII letters.
struct DateScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text.lowercased()).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// Steps over a text in lower case if it is next.
  mutating func skip(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// Steps over letters, of which there has to be one.
  mutating func letters() -> String? {
    let letters = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    rest = rest[letters.endIndex...]
    return letters.isEmpty ? nil : String(letters)
  }

  /// Steps over so many decimal digits.
  mutating func number(digits count: Int) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    rest = rest.dropFirst(count)
    return digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Steps over the name of a month: 1 to 12.
  mutating func month() -> Int? {
    guard let name = letters(),
      let index = HTTPDate.months.firstIndex(where: { $0.lowercased() == name })
    else { return nil }
    return index + 1
  }

  /// Steps over `08:49:37`.
  mutating func clock() -> CalendarTime.Clock? {
    guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
      let second = number(digits: 2)
    else { return nil }
    return (hour, minute, second)
  }
}
