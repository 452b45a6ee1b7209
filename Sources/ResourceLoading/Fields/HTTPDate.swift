public import Foundation
import ResourcePrimitives

/// A moment as HTTP writes it, to the second and always in GMT (RFC 9110 section 5.6.7).
///
/// ```swift
/// let date = HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")
/// ```
public struct HTTPDate: Sendable, Hashable {
  /// Seconds since 1970 in GMT, within the years 0 to 9999.
  let seconds: Int64

  init(seconds: Int64) {
    self.seconds = min(max(seconds, CalendarTime.firstSecond), CalendarTime.lastSecond)
  }

  /// Takes a moment; fractions of its second are left out.
  ///
  /// - Parameter date: The moment. Outside of the years 0 to 9999, which HTTP can't write, it
  ///   becomes the first or last second of them.
  public init(_ date: Date) {
    let wanted = date.timeIntervalSince1970.rounded(.down)
    let limits = Double(CalendarTime.firstSecond)...Double(CalendarTime.lastSecond)
    self.init(
      seconds: wanted.isNaN ? 0 : Int64(min(max(wanted, limits.lowerBound), limits.upperBound)))
  }

  /// The moment as a Foundation date.
  public var date: Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
}

extension HTTPDate: Comparable {
  /// Whether one moment is before another.
  public static func < (one: HTTPDate, other: HTTPDate) -> Bool { one.seconds < other.seconds }
}

extension HTTPDate: CustomStringConvertible {
  /// The text that is sent, in the fixed form: `Sun, 06 Nov 1994 08:49:37 GMT`.
  public var description: String {
    let time = CalendarTime(seconds: seconds)
    let day = Self.days[time.weekday].prefix(3)
    let month = CalendarTime.months[time.month - 1]
    return "\(day), \(time.day.padded(to: 2)) \(month) \(time.year.padded(to: 4)) \(time.clock) GMT"
  }

  /// The text as ISO 8601 and RFC 3339 have it: `1994-11-06T08:49:37Z`.
  var internetDate: String {
    let time = CalendarTime(seconds: seconds)
    let month = time.month.padded(to: 2)
    return "\(time.year.padded(to: 4))-\(month)-\(time.day.padded(to: 2))T\(time.clock)Z"
  }

  static let days = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
}

extension CalendarTime {
  fileprivate var clock: String {
    [hour, minute, second].map { $0.padded(to: 2) }.joined(separator: ":")
  }
}

extension CalendarTime {
  /// The time whose year has two digits in the last year with these digits that is at most 50 years
  /// ahead.
  fileprivate func withCentury(at now: Date) -> CalendarTime {
    var limit = CalendarTime(seconds: HTTPDate(now).seconds)
    limit.year += 50
    var time = self
    time.year = limit.year - (limit.year - year) % 100
    if time.isAfter(limit) { time.year -= 100 }
    return time
  }
}

extension Int {
  fileprivate func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}

extension HTTPDate {
  /// Reads a date in any of the three forms that RFC 9110 section 5.6.7 has recipients read: the
  /// fixed form, that of RFC 850 with its two-digit year, and that of C's `asctime`.
  ///
  /// The case of letters and white space around the text don't count. The name of the day has to be
  /// one, but isn't compared with the date.
  ///
  /// - Parameters:
  ///   - text: The text of a header, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  ///   - now: The reference for a two-digit year, which is the last year with these digits that is
  ///     at most 50 years ahead.
  /// - Returns: `nil` for a text of any other form, and for a day or a time that doesn't exist.
  public init?(_ text: String, now: Date = Date()) {
    var scanner = DateScanner(text.trimmingSpaces())
    guard let name = scanner.letters(), let time = Self.time(after: name, &scanner, now),
      scanner.isAtEnd, let seconds = time.seconds
    else { return nil }
    self.init(seconds: seconds)
  }

  /// Reads what follows the name of a day, in the form which that and the next characters tell.
  private static func time(
    after name: String, _ scanner: inout DateScanner, _ now: Date
  ) -> CalendarTime? {
    let isFull = days.contains { $0.lowercased() == name }
    let isShort = days.contains { $0.prefix(3).lowercased() == name }
    return switch scanner.skip(", ") {
    case true where isShort: dayFirst(&scanner, separator: " ", yearDigits: 4)
    case true where isFull:
      dayFirst(&scanner, separator: "-", yearDigits: 2)?.withCentury(at: now)
    case false where isShort && scanner.skip(" "): asctime(&scanner)
    default: nil
    }
  }

  /// `06 Nov 1994 08:49:37 GMT` or `06-Nov-94 08:49:37 GMT`
  private static func dayFirst(
    _ scanner: inout DateScanner, separator: String, yearDigits: Int
  ) -> CalendarTime? {
    guard let day = scanner.number(digits: 2), scanner.skip(separator),
      let month = scanner.month(), scanner.skip(separator),
      let year = scanner.number(digits: yearDigits), scanner.skip(" "),
      let clock = scanner.clock(), scanner.skip(" gmt")
    else { return nil }
    return CalendarTime(year, month, day, clock)
  }

  /// `Nov  6 08:49:37 1994`
  private static func asctime(_ scanner: inout DateScanner) -> CalendarTime? {
    guard let month = scanner.month(), scanner.skip(" "),
      let day = scanner.skip(" ") ? scanner.number(digits: 1) : scanner.number(digits: 2),
      scanner.skip(" "), let clock = scanner.clock(), scanner.skip(" "),
      let year = scanner.number(digits: 4)
    else { return nil }
    return CalendarTime(year, month, day, clock)
  }
}
