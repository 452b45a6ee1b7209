package import Foundation
import ResourcePrimitives
internal import ResourceXML

/// Dates in the forms that feeds use.
///
/// - RFC 3339 and W3C-DTF, including partial dates: `2024-05-03T10:20:30.5+02:00`, `2024-05-03`,
///   `2024-05`, `2024`. A missing part counts as its first value. A weekday may precede it.
/// - RFC 822, its successors and common variations: without a weekday or seconds, with two-digit
///   years, with named zones, or in the order of C's `asctime`.
///
/// A missing or unknown zone counts as UTC. So do the military letters, which have been used with
/// both signs (RFC 5322 section 4.3).
package enum FeedDate {
  /// Returns the date in a text; `nil` if it isn't a date.
  package static func parse(_ text: some StringProtocol) -> Date? {
    let text = text.trimmingWhitespace()
    guard text.utf8.count <= 100, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return InternetDate.parse(text) ?? MailDate.parse(text)
      ?? InternetDate.parse(afterWeekday: text)
  }
}

/// RFC 3339 and W3C-DTF, including partial dates and slashes instead of hyphens.
private enum InternetDate {
  /// Returns the moment; `nil` if the text has none of these forms.
  static func parse(_ text: String) -> Date? {
    let end = text.firstIndex { "Tt ".contains($0) } ?? text.endIndex
    guard var moment = day(text[..<end]) else { return nil }
    let time = text[end...].dropFirst().drop { $0 == " " }
    guard time.isEmpty || read(time, into: &moment) else { return nil }
    return moment.date
  }

  /// Returns the moment in a text such as `Fri, 2024/05/03 10:20:30`.
  static func parse(afterWeekday text: String) -> Date? {
    let date = text.drop(while: \.isLetter).drop { $0 == "," || $0 == "." || $0 == " " }
    return "-/".contains(date.dropFirst(4).first ?? " ") ? parse(String(date)) : nil
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
