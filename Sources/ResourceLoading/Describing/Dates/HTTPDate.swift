public import Foundation

/// A moment as HTTP writes it, to the second and always in GMT (RFC 9110 section 5.6.7).
///
/// ```swift
/// let date = HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")
/// ```
public struct HTTPDate: Sendable, Hashable {
  /// Seconds since 1970 in GMT, within the years 0 to 9999.
  let seconds: Int

  init(seconds: Int) {
    self.seconds = min(max(seconds, CalendarTime.firstSecond), CalendarTime.lastSecond)
  }

  /// Takes a moment; fractions of its second are left out.
  ///
  /// - Parameter date: The moment. Outside of the years 0 to 9999, which HTTP can't write, it becomes the
  ///   first or last second of them.
  public init(_ date: Date) {
    let wanted = date.timeIntervalSince1970.rounded(.down)
    let limits = Double(CalendarTime.firstSecond)...Double(CalendarTime.lastSecond)
    self.init(
      seconds: wanted.isNaN ? 0 : Int(min(max(wanted, limits.lowerBound), limits.upperBound)))
  }

  /// The moment for everything but HTTP.
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
    let month = Self.months[time.month - 1]
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

  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

extension CalendarTime {
  fileprivate var clock: String {
    [hour, minute, second].map { $0.padded(to: 2) }.joined(separator: ":")
  }
}

extension Int {
  /// The decimal digits with zeros before them.
  fileprivate func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
