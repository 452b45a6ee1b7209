internal import Foundation
internal import ResourcePrimitives

/// Reads `xs:dateTime`, `xs:date`, `xs:gYearMonth` and `xs:gYear`.
struct SchemaDate {
  private let digits: [UInt8]
  private var i = 0

  private init(_ text: String) {
    digits = Array(text.utf8)
  }

  /// - Returns: `nil` if the text has none of the forms, or the date isn't in the calendar.
  static func parse(_ text: String) -> Date? {
    var reader = SchemaDate(text)
    return reader.date()
  }

  private mutating func date() -> Date? {
    let isNegative = take(.hyphen)
    guard let year = number(4, atMost: 6) else { return nil }
    var month = 1
    var day = 1
    var seconds = 0.0
    if take(.hyphen) {
      guard let value = number(2) else { return nil }
      month = value
      if take(.hyphen) {
        guard let value = number(2) else { return nil }
        day = value
        if take(0x54) || take(0x74) || take(.space) {
          guard let time = time() else { return nil }
          seconds = time
        }
      }
    }
    guard let offset = zone(), i == digits.count else { return nil }
    let signed = isNegative ? -year : year
    guard let days = CalendarTime.days(to: signed, month, day) else { return nil }
    return Date(timeIntervalSince1970: Double(days) * 86_400 + seconds - Double(offset) * 60)
  }

  /// `hh:mm:ss` with an optional fraction. `24:00:00` is the end of the day; seconds may be
  /// missing.
  private mutating func time() -> Double? {
    guard let hour = number(2), hour <= 24, take(.colon), let minute = number(2), minute < 60
    else { return nil }
    var second = 0.0
    if take(.colon) {
      // A leap second is read as the first second of the next minute.
      guard let value = number(2), value <= 60 else { return nil }
      second = Double(value)
      if take(0x2E) {
        guard let fraction = fraction() else { return nil }
        second += fraction
      }
    }
    guard hour < 24 || (minute == 0 && second == 0) else { return nil }
    return Double(hour * 3600 + minute * 60) + second
  }

  private mutating func fraction() -> Double? {
    var value = 0.0
    let start = i
    while i < digits.count, digits[i].isASCIIDigit {
      if i - start < 15 { value = value * 10 + Double(digits[i] - 0x30) }
      i += 1
    }
    let length = min(i - start, 15)
    return i > start ? value / pow10(length) : nil
  }

  private func pow10(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { value, _ in value * 10 }
  }

  /// Minutes east of UTC; 0 if there is no zone.
  private mutating func zone() -> Int? {
    guard i < digits.count, !take(0x5A), !take(0x7A) else { return 0 }
    let isWest = digits[i] == .hyphen
    guard take(.hyphen) || take(.plus), let hour = number(2), hour <= 14 else { return nil }
    _ = take(.colon)
    guard let minute = number(2), minute < 60 else { return nil }
    return (isWest ? -1 : 1) * (hour * 60 + minute)
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard i < digits.count, digits[i] == byte else { return false }
    i += 1
    return true
  }

  private mutating func number(_ least: Int, atMost: Int? = nil) -> Int? {
    let start = i
    var value = 0
    while i < digits.count, digits[i].isASCIIDigit, i - start < atMost ?? least {
      value = value * 10 + Int(digits[i] - 0x30)
      i += 1
    }
    return i - start >= least ? value : nil
  }
}
