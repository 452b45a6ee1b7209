import Foundation
import ResourcePrimitives

/// The header `Retry-After` (RFC 9110 section 10.2.3).
enum RetryAfter {
  /// Returns the wait that a server asks for; `nil` if it asks for none, or the header is
  /// malformed. A date is measured against the server's own `Date`, so that clocks may differ; one
  /// in the past means no wait.
  ///
  /// - Parameters:
  ///   - headers: The headers of the response.
  ///   - date: The local date, for servers that don't send theirs.
  static func duration(in headers: Headers, at date: Date) -> Duration? {
    guard let text = headers.values(of: .retryAfter).first?.trimmingSpaces(), !text.isEmpty else {
      return nil
    }
    // Of a field that was repeated, and joined on its way, the first counts. Some servers send
    // parts of a second.
    let number = text.cut(at: ",").map { $0.before.trimmingSpaces() } ?? text
    if number.utf8.first?.isASCIIDigit == true, number.isDecimalNumber(),
      let seconds = Double(number)
    {
      // More seconds than fit are a century.
      return .milliseconds(Int64((min(seconds, 100 * 365 * 86_400) * 1000).rounded(.up)))
    }
    guard let until = HTTPDate(text, now: date)?.date else { return nil }
    let now = headers[.date].flatMap { HTTPDate($0, now: date)?.date } ?? date
    return .milliseconds(Int64(max(0, until.timeIntervalSince(now)) * 1000))
  }
}
