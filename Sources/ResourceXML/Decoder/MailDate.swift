package import Foundation
internal import ResourcePrimitives

/// Dates of RFC 822 and its successors, and their many variations: words in nearly any order.
///
/// The form of a word shows what it is. A time has colons, a month has a name, and a zone has a
/// sign or another name. The first number is the day and the second the year, unless the first can
/// only be a year.
package enum MailDate {
  /// Returns the moment; `nil` if the day, the month or the year is missing, a part is repeated, or
  /// the text is longer than 100 bytes. A missing or unknown zone counts as UTC.
  package static func parse(_ text: String) -> Date? {
    guard text.utf8.count <= 100 else { return nil }
    var fields = Fields()
    for word in words(of: text) where !fields.take(word) { return nil }
    return fields.moment?.date
  }

  /// Returns the words up to the first comment, which is in parentheses.
  private static func words(of text: String) -> [Substring] {
    let plain = text.prefix { $0 != "(" }
    return plain.split { $0.isWhitespace || $0 == "," }.flatMap(parts)
  }

  private static func parts(of word: Substring) -> [Substring] {
    // 02-Oct-2002, as in RFC 850 and cookies.
    let isDashed = word.includes("-") && word.contains(where: \.isLetter)
    let dashed = word.split(separator: "-")
    if isDashed, dashed.count == 3 { return dashed }
    // 10:20:30GMT, 10:20:30+0200 and 10:20PM.
    if word.first?.isNumber == true, word.includes(":"),
      let end = word.firstIndex(where: { $0.isLetter || $0 == "+" || $0 == "-" })
    {
      return [word[..<end], word[end...]]
    }
    // 20th, 20. and Nov. are read without their endings; a hyphen alone is ignored.
    let day = word.prefix(while: \.isNumber)
    if !day.isEmpty, ["st", "nd", "rd", "th", "."].contains(word[day.endIndex...].lowercased()) {
      return [day]
    }
    return word == "-" ? [] : [word.hasSuffix(".") ? word.dropLast() : word]
  }

  private struct Fields {
    var numbers: [Substring] = []
    var month: Int?
    var time: ClockTime?
    var offset: Int?

    mutating func take(_ word: Substring) -> Bool {
      if word.hasOnlyDigits {
        numbers.append(word)
        return numbers.count <= 2
      }
      if word.includes(":"), word.first?.isNumber == true {
        guard time == nil else { return false }
        time = ClockTime(word)
        return time != nil
      }
      let name = word.lowercased().prefix(3)
      if month == nil, let number = CalendarTime.month(named: name) {
        month = number
        return true
      }
      return takeName(word, name)
    }

    private mutating func takeName(_ word: Substring, _ name: Substring) -> Bool {
      // No zone has the name of a weekday, and a weekday comes before the time. At the very
      // beginning it may be in any language.
      if time == nil, word.count >= 3, weekdays.contains(String(name)) { return true }
      if numbers.isEmpty, month == nil, time == nil { return word.allSatisfy(\.isLetter) }
      if word.count == 2, name == "am" || name == "pm", let hour = time?.hour, hour <= 12 {
        time?.hour = hour % 12 + (name == "pm" ? 12 : 0)
        return true
      }
      // Names such as Europe/London count as UTC.
      let isPlace = word.includes("/") && word.contains(where: \.isLetter)
      guard let parsed = isPlace ? 0 : TimeZoneOffset.parse(word), time != nil || numbers.count == 2
      else { return false }
      // In "GMT +0200" and "+0200 CEST" the offset counts.
      if offset ?? 0 == 0 { offset = parsed }
      return true
    }

    var moment: CalendarMoment? {
      guard numbers.count == 2, let month else { return nil }
      let isYearFirst = numbers[0].count > 2
      guard let day = Int(numbers[isYearFirst ? 1 : 0]),
        let year = fullYear(numbers[isYearFirst ? 0 : 1])
      else { return nil }
      var moment = CalendarMoment(year: year, month: month, day: day, offset: offset ?? 0)
      time?.set(&moment)
      return moment
    }
  }

  /// Two digits below 50 are a year of this century, other short numbers of the last one (RFC 5322
  /// section 4.3).
  private static func fullYear(_ digits: Substring) -> Int? {
    guard let year = Int(digits) else { return nil }
    return switch digits.count {
    case 1...2: year < 50 ? 2000 + year : 1900 + year
    case 3: 1900 + year
    case 4: year
    default: nil
    }
  }

  private static let weekdays: Set = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
}

/// Reads time zones in their common forms.
package enum TimeZoneOffset {
  /// Returns seconds east of UTC: `Z`, `+02:00`, `-0800`, `+2`, `EST`, `GMT+1`. An unknown name is
  /// UTC.
  ///
  /// - Returns: `nil` for a sign without an offset, and for other text that isn't a name.
  package static func parse(_ text: some StringProtocol) -> Int? {
    let text = Substring(text)
    guard let sign = text.firstIndex(where: { $0 == "+" || $0 == "-" }) else {
      return text.allSatisfy(\.isLetter) ? (names[text.uppercased()] ?? 0) * 60 : nil
    }
    let digits = text[text.index(after: sign)...].filter { $0 != ":" }
    guard (1...4).contains(digits.count), let number = Int(digits), number >= 0 else { return nil }
    let (hours, minutes) = digits.count > 2 ? (number / 100, number % 100) : (number, 0)
    guard minutes < 60 else { return nil }
    return (text[sign] == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  /// Minutes east of UTC. If a name is ambiguous, the usual meaning.
  private static let names: [String: Int] = [
    "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360,
    "PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600, "AST": -240, "ADT": -180,
    "NST": -210, "NDT": -150, "WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120,
    "MET": 60, "MEST": 120, "EET": 120, "EEST": 180, "MSK": 180, "JST": 540, "KST": 540,
    "AEST": 600, "AEDT": 660, "AWST": 480, "NZST": 720, "NZDT": 780,
    "ET": -300, "CT": -360, "MT": -420, "PT": -480,
  ]
}
