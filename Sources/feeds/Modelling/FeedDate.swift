import Foundation

/// Reads the dates that feeds have.
///
/// - RFC 3339 and W3C-DTF, partial ones included: `2024-05-03T10:20:30.5+02:00`, `2024-05-03`, `2024-05`,
///   `2024`. A missing part counts as its first value.
/// - RFC 822 with its successors, and what people make of it: without a weekday, without seconds, with
///   two-digit years, with named zones, in the order of C's `asctime`.
///
/// A missing or unknown zone counts as UTC, and so do the military letters, which were used with both
/// signs (RFC 5322 section 4.3).
enum FeedDate {
  /// The moment that a text stands for, or `nil` if it is no date.
  static func parse(_ text: some StringProtocol) -> Date? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.utf8.count <= 100, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return InternetDate.parse(text) ?? MailDate.parse(text)
  }
}
