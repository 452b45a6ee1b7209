package import Foundation
internal import ResourceLoading

/// Reads the dates that feeds have.
///
/// - RFC 3339 and W3C-DTF, partial ones included: `2024-05-03T10:20:30.5+02:00`, `2024-05-03`, `2024-05`,
///   `2024`. A missing part counts as its first value.
/// - RFC 822 with its successors, and what people make of it: without a weekday, without seconds, with
///   two-digit years, with named zones, in the order of C's `asctime`.
///
/// A missing or unknown zone counts as UTC, and so do the military letters, which were used with both
/// signs (RFC 5322 section 4.3).
package enum FeedDate {
  /// Returns the moment that a text means, or `nil` if it isn't a date.
  package static func parse(_ text: some StringProtocol) -> Date? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.utf8.count <= 100, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return InternetDate.parse(text) ?? MailDate.parse(text)
  }
}

/// RFC 3339 and W3C-DTF, partial dates included, and with slashes in the place of the hyphens.
private enum InternetDate {
  /// Returns the moment, or `nil` if the text is none of these.
  static func parse(_ text: String) -> Date? {
    let end = text.firstIndex { "Tt ".contains($0) } ?? text.endIndex
    guard var moment = day(text[..<end]) else { return nil }
    let time = text[end...].dropFirst().drop { $0 == " " }
    guard time.isEmpty || read(time, into: &moment) else { return nil }
    return moment.date
  }

  private static func day(_ text: Substring) -> CalendarMoment? {
    let separator = text.dropFirst(4).first ?? "-"
    guard separator == "-" || separator == "/", text.prefix(4).count == 4 else { return nil }
    let parts = text.split(separator: separator, omittingEmptySubsequences: false).map(digits)
    guard (1...3).contains(parts.count), let year = parts[0] else { return nil }
    guard let month = parts.count > 1 ? parts[1] : 1, let day = parts.count > 2 ? parts[2] : 1
    else { return nil }
    return CalendarMoment(year: year, month: month, day: day)
  }

  private static func read(_ text: Substring, into moment: inout CalendarMoment) -> Bool {
    let end = text.firstIndex { !"0123456789:.,".contains($0) } ?? text.endIndex
    guard ClockTime(text[..<end]).map({ $0.set(&moment) }) != nil,
      let offset = TimeZoneOffset.parse(text[end...].drop { $0 == " " })
    else { return false }
    moment.offset = offset
    return true
  }

  private static func digits(_ text: Substring) -> Int? {
    text.allSatisfy { ("0"..."9").contains($0) } ? Int(text) : nil
  }
}

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
    guard year >= 1, hour < 24 || (hour == 24 && minute == 0 && second == 0),
      (0..<61).contains(second),
      abs(offset) < 24 * 3600,
      let start = CalendarTime(year, month, day, (hour % 24, minute, 0)).seconds
    else { return nil }
    return Date(timeIntervalSince1970: Double(start + hour / 24 * 86_400 - offset) + second)
  }
}

/// A time of day: `10:20`, `10:20:30`, `10:20:30.25`.
struct ClockTime: Equatable {
  var hour: Int
  var minute: Int
  var second: Double

  /// Reads hours, minutes and, if there are any, seconds with a fraction; `nil` if it is something else.
  init?(_ text: some StringProtocol) {
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
  func set(_ moment: inout CalendarMoment) {
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
