import Foundation

/// How long a server asks to be left alone (RFC 9110 section 10.2.3).
enum RetryAfter {
  /// The wait that `Retry-After` asks for; `nil` where there is none or it makes no sense. A date is measured
  /// against the server's own `Date`, so that clocks may differ; one in the past means no wait.
  ///
  /// - Parameters:
  ///   - headers: Those of the response.
  ///   - date: The date here, for servers that don't tell theirs.
  static func duration(in headers: Headers, at date: Date) -> Duration? {
    guard let text = headers.values(of: .retryAfter).first?.trimmingSpaces(), !text.isEmpty else {
      return nil
    }
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // More seconds than fit are a century.
      return .seconds(min(Int64(text) ?? .max, 100 * 365 * 86_400))
    }
    guard let until = HTTPDate(text, now: date)?.date else { return nil }
    let now = headers[.date].flatMap { HTTPDate($0, now: date)?.date } ?? date
    return .milliseconds(Int64(max(0, until.timeIntervalSince(now)) * 1000))
  }
}
