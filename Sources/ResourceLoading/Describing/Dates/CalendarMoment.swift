package import Foundation

/// A date and a time of day that need not exist.
package struct CalendarMoment: Equatable, Sendable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Double
  /// Seconds east of UTC.
  package var offset: Int

  /// Makes a moment, the first of its year, month or day in UTC unless told otherwise.
  package init(
    year: Int, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0, second: Double = 0,
    offset: Int = 0
  ) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second, self.offset) = (hour, minute, second, offset)
  }
}

extension CalendarMoment {
  /// The moment, or `nil` if there is none such: a 30th of February, a 25th hour.
  package var date: Date? {
    guard (1...9999).contains(year), (1...12).contains(month), (1...lengthOfMonth).contains(day),
      (0...24).contains(hour), (0...59).contains(minute), (0..<61).contains(second),
      hour < 24 || (minute == 0 && second == 0), abs(offset) < 24 * 3600
    else { return nil }
    let seconds = dayNumber * 86_400 + hour * 3600 + minute * 60 - offset
    return Date(timeIntervalSince1970: Double(seconds) + second)
  }

  private var isLeapYear: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private var lengthOfMonth: Int {
    switch month {
    case 2: isLeapYear ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1 January 1970 in the Gregorian calendar. The year is taken to begin in March, so that the
  /// leap day is its last.
  private var dayNumber: Int {
    let years = month > 2 ? year : year - 1
    let months = (month + 9) % 12
    let leapDays = years / 4 - years / 100 + years / 400
    return years * 365 + leapDays + (months * 306 + 5) / 10 + day - 1 - 719_468
  }
}

/// A time of day: `10:20`, `10:20:30`, `10:20:30.25`.
package struct ClockTime: Equatable, Sendable {
  package var hour: Int
  package var minute: Int
  package var second: Double

  /// Reads hours, minutes and, if there are any, seconds with a fraction; `nil` if it is something else.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let hour = Self.number(parts[0]),
      let minute = Self.number(parts[1])
    else { return nil }
    self.hour = hour
    self.minute = minute
    guard parts.count == 3 else {
      second = 0
      return
    }
    let fraction = parts[2].map { $0 == "," ? "." : $0 }
    guard fraction.first?.isNumber == true, let second = Double(String(fraction)) else {
      return nil
    }
    self.second = second
  }

  /// Sets the time of a moment to this one.
  package func set(_ moment: inout CalendarMoment) {
    moment.hour = hour
    moment.minute = minute
    moment.second = second
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    guard (1...2).contains(text.count), text.allSatisfy({ ("0"..."9").contains($0) }) else {
      return nil
    }
    return Int(text)
  }
}
