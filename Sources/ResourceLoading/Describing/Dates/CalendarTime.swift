/// A day of the Gregorian calendar and a time of that day, in GMT.
package struct CalendarTime {
  package typealias Clock = (hour: Int, minute: Int, second: Int)

  var year: Int
  let month: Int
  let day: Int
  let hour: Int
  let minute: Int
  let second: Int

  package init(_ year: Int, _ month: Int, _ day: Int, _ clock: Clock) {
    (self.year, self.month, self.day) = (year, month, day)
    (hour, minute, second) = clock
  }

  /// The first second of the year 0, counted from 1970.
  static let firstSecond = daysBefore(year: 0, month: 1) * secondsPerDay
  /// The last second of the year 9999, counted from 1970.
  static let lastSecond = daysBefore(year: 10_000, month: 1) * secondsPerDay - 1

  private static let secondsPerDay = 86_400
}

extension CalendarTime {
  /// Takes seconds since 1970 apart.
  init(seconds: Int) {
    let (days, rest) = seconds.flooredDivision(by: Self.secondsPerDay)
    // A year is never longer than 366 days, so this one is the right one or a later one's predecessor.
    var year = 1970 + days.flooredDivision(by: 366).quotient
    while Self.daysBefore(year: year + 1, month: 1) <= days { year += 1 }
    while Self.daysBefore(year: year, month: 1) > days { year -= 1 }
    let month = (1...12).last { Self.daysBefore(year: year, month: $0) <= days } ?? 1
    let day = days - Self.daysBefore(year: year, month: month) + 1
    self.init(year, month, day, (rest / 3600, rest / 60 % 60, rest % 60))
  }

  /// Seconds since 1970, or `nil` for a day or a time that doesn't exist. The second 60 is the one that is
  /// put in after some years' ends.
  package var seconds: Int? {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.length(ofMonth: month, in: year), hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = Self.daysBefore(year: year, month: month) + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second
  }

  /// The day of the week, 0 for Sunday.
  var weekday: Int {
    let days = Self.daysBefore(year: year, month: month) + day - 1
    return (days + 4).flooredDivision(by: 7).remainder  // the first day of 1970 was a Thursday
  }

  func isAfter(_ other: CalendarTime) -> Bool {
    let parts = { (time: CalendarTime) in
      [time.year, time.month, time.day, time.hour, time.minute, time.second]
    }
    return parts(other).lexicographicallyPrecedes(parts(self))
  }
}

extension CalendarTime {
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

extension Int {
  /// The quotient rounded down, and what is left, which is never negative.
  fileprivate func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
