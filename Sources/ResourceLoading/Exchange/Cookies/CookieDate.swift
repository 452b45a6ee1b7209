import Foundation
import ResourcePrimitives

/// The dates of cookies (RFC 6265 section 5.1.1): tokens in any order. The first token that can be
/// the time is the time, and likewise for the day, the month and the year.
enum CookieDate {
  /// Returns the date; `nil` if a part is missing or there is no such date.
  static func date(_ text: String) -> Date? {
    var fields = Fields()
    for token in text.utf8.split(whereSeparator: isDelimiter) { fields.take(token) }
    return fields.date
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private struct Fields {
    var clock: CalendarTime.Clock?
    var day: Int?
    var month: Int?
    var year: Int?

    mutating func take(_ token: Substring.UTF8View) {
      if clock == nil, let read = CookieDate.clock(token) {
        clock = read
      } else if day == nil, let number = CookieDate.number(token, digits: 1...2) {
        day = number
      } else if month == nil, let number = CalendarTime.month(named: Substring(token.prefix(3))) {
        month = number
      } else if year == nil, let number = CookieDate.number(token, digits: 2...4) {
        year = number < 70 ? 2000 + number : number < 100 ? 1900 + number : number
      }
    }

    var date: Date? {
      guard let clock, let day, let month, let year, year >= 1601, clock.second < 60 else {
        return nil
      }
      return CalendarTime(year, month, day, clock).seconds
        .map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }
  }
}

extension CookieDate {
  /// Parses `8:49:37`, followed by anything that doesn't begin with a digit.
  private static func clock(_ token: Substring.UTF8View) -> CalendarTime.Clock? {
    let parts = token.split(
      separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[..<2].allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
      let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  /// Parses a number of digits, followed by anything that isn't one.
  private static func number(_ token: Substring.UTF8View, digits count: ClosedRange<Int>) -> Int? {
    let digits = token.prefix(while: \.isASCIIDigit)
    guard count.contains(digits.count) else { return nil }
    return digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Returns 1 to 12 for a token that begins with a month's name.
}
