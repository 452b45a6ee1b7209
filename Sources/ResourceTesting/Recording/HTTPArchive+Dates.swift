import Foundation
import ResourceLoading
import ResourcePrimitives

extension HTTPArchive {
  /// The date for an ISO 8601 string, to the microsecond, with or without fractional seconds and a
  /// zone. `nil` for other strings, and for the beginning of 1970, which stands for an unknown
  /// date.
  static func date(_ text: String) -> Date? {
    var text = text.replacing([" ": "T", ",": ".", "t": "T"])
    if !text.hasSuffix("Z"), text.utf8.count <= 29,
      !text.dropFirst(10).contains(where: { "+-Zz".contains($0) })
    {
      text += "Z"
    }
    let date =
      (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
    guard let date, date != Date(timeIntervalSince1970: 0) else { return nil }
    return Date(
      timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000_000).rounded() / 1_000_000)
  }

  /// The string for a date, to the microsecond; the beginning of 1970 for an unknown date.
  static func text(_ date: Date?) -> String {
    let seconds = date?.timeIntervalSince1970 ?? 0
    // Years with four digits.
    guard (-62_135_596_800..<253_402_300_800).contains(seconds) else { return text(nil) }
    let microseconds = Int64((seconds * 1_000_000).rounded())
    let fraction = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
    let whole = Date(timeIntervalSince1970: Double((microseconds - fraction) / 1_000_000))
    let isShort = fraction % 1000 == 0
    let digits = String(isShort ? 1000 + fraction / 1000 : 1_000_000 + fraction).dropFirst()
    return "\(whole.formatted(Date.ISO8601FormatStyle()).dropLast()).\(digits)Z"
  }
}
