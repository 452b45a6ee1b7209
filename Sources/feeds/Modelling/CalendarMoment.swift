import Foundation

/// A date and a time of day that need not exist.
struct CalendarMoment: Equatable {
  var year: Int
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0.0
  /// Seconds east of UTC.
  var offset = 0
}

extension CalendarMoment {
  /// The moment, or `nil` if there is none such: a 30th of February, a 25th hour.
  var date: Date? {
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
