/// A day of the Gregorian calendar and a time of that day, in GMT.
package struct CalendarTime {
  package typealias Clock = (hour: Int, minute: Int, second: Int)

  package var year: Int
  package let month: Int
  package let day: Int
  package let hour: Int
  package let minute: Int
  package let second: Int

  package init(_ year: Int, _ month: Int, _ day: Int, _ clock: Clock) {
    (self.year, self.month, self.day) = (year, month, day)
    (hour, minute, second) = clock
  }

  /// The first second of the year 0, counted from 1970.
  package static let firstSecond = Int64(daysBefore(year: 0, month: 1)) * secondsPerDay
  /// The last second of the year 9999, counted from 1970.
  package static let lastSecond = Int64(daysBefore(year: 10_000, month: 1)) * secondsPerDay - 1

  private static let secondsPerDay: Int64 = 86_400

  /// The English names of the months, as HTTP and mail abbreviate them.
  package static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the number of a month, 1 to 12, by such a name in any case.
  package static func month(named name: some StringProtocol) -> Int? {
    months.firstIndex { $0.lowercased() == name.lowercased() }.map { $0 + 1 }
  }
}

extension CalendarTime {
  /// Creates the time for seconds since 1970.
  package init(seconds: Int64) {
    let (wholeDays, secondOfDay) = seconds.flooredDivision(by: Self.secondsPerDay)
    let (days, rest) = (Int(wholeDays), Int(secondOfDay))
    // A year is never longer than 366 days, so this one is the right one or a later one's
    // predecessor.
    var year = 1970 + days.flooredDivision(by: 366).quotient
    while Self.daysBefore(year: year + 1, month: 1) <= days { year += 1 }
    while Self.daysBefore(year: year, month: 1) > days { year -= 1 }
    let month = (1...12).last { Self.daysBefore(year: year, month: $0) <= days } ?? 1
    let day = days - Self.daysBefore(year: year, month: month) + 1
    self.init(year, month, day, (rest / 3600, rest / 60 % 60, rest % 60))
  }

  /// Seconds since 1970, or `nil` for a day or a time that doesn't exist. The second 60 is a leap
  /// second.
  package var seconds: Int64? {
    guard (0...9999).contains(year), hour < 24, minute < 60, second <= 60,
      let days = Self.days(to: year, month, day)
    else { return nil }
    // On watchOS an `Int` can have 32 bits, which end in 2038.
    return Int64(days) * Self.secondsPerDay + Int64((hour * 60 + minute) * 60 + second)
  }

  /// The day of the week, 0 for Sunday.
  package var weekday: Int {
    let days = Self.daysBefore(year: year, month: month) + day - 1
    return (days + 4).flooredDivision(by: 7).remainder  // the first day of 1970 was a Thursday
  }

  package func isAfter(_ other: CalendarTime) -> Bool {
    (year, month, day, hour, minute, second)
      > (other.year, other.month, other.day, other.hour, other.minute, other.second)
  }
}

extension CalendarTime {
  /// Returns the days from 1970 to a day, or `nil` if there is no such day.
  package static func days(to year: Int, _ month: Int, _ day: Int) -> Int? {
    guard (1...12).contains(month), day >= 1, day <= length(ofMonth: month, in: year) else {
      return nil
    }
    return daysBefore(year: year, month: month) + day - 1
  }

  /// The days from the beginning of 1970 to that of a month.
  private static func daysBefore(year: Int, month: Int) -> Int {
    let past = year - 1
    let leapDays = [4, -100, 400].map { past.flooredDivision(by: abs($0)).quotient * $0.signum() }
    let months = (1..<month).reduce(0) { $0 + length(ofMonth: $1, in: year) }
    return 365 * (year - 1970) + leapDays.reduce(0, +) - 477 + months
  }

  private static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension SignedInteger {
  /// The quotient rounded down, and the remainder, which is never negative.
  fileprivate func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// Steps over the parts of a date's text, without regard to the case of ASCII letters.
package struct DateScanner {
  private var rest: Substring.UTF8View

  package init(_ text: String) { rest = Substring(text.lowercased()).utf8 }

  package var isAtEnd: Bool { rest.isEmpty }

  /// Steps over a text in lower case if it is next.
  package mutating func skip(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// Steps over at least one letter.
  package mutating func letters() -> String? {
    let letters = rest.prefix(while: \.isASCIILetter)
    rest = rest[letters.endIndex...]
    return letters.isEmpty ? nil : String(letters)
  }

  /// Steps over a number of decimal digits.
  package mutating func number(digits count: Int) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    rest = rest.dropFirst(count)
    return digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Steps over the name of a month: 1 to 12.
  package mutating func month() -> Int? { letters().flatMap(CalendarTime.month) }

  /// Steps over `08:49:37`.
  package mutating func clock() -> CalendarTime.Clock? {
    guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
      let second = number(digits: 2)
    else { return nil }
    return (hour, minute, second)
  }
}
