package import Foundation
internal import ResourcePrimitives

/// A date and a time of day, which may not exist in the calendar.
package struct CalendarMoment: Equatable, Sendable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Double
  /// Seconds east of UTC.
  package var offset: Int

  /// Creates a moment. Omitted parts are the first of the year, month or day, in UTC.
  package init(
    year: Int, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0, second: Double = 0,
    offset: Int = 0
  ) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second, self.offset) = (hour, minute, second, offset)
  }
}

extension CalendarMoment {
  /// The moment; `nil` if it doesn't exist, such as the 30th of February or a 25th hour.
  package var date: Date? {
    guard year >= 1, hour < 24 || (hour == 24 && minute == 0 && second == 0),
      (0..<61).contains(second), abs(offset) < 24 * 3600,
      let start = CalendarTime(year, month, day, (hour % 24, minute, 0)).seconds
    else { return nil }
    return Date(timeIntervalSince1970: Double(start + Int64(hour / 24 * 86_400 - offset)) + second)
  }
}

/// A time of day: `10:20`, `10:20:30`, `10:20:30.25`.
package struct ClockTime: Equatable, Sendable {
  package var hour: Int
  package var minute: Int
  package var second: Double

  /// Reads hours, minutes and optional seconds with a fraction; `nil` for any other text.
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
    text.utf8.count <= 2 && text.hasOnlyDigits ? Int(text) : nil
  }
}
