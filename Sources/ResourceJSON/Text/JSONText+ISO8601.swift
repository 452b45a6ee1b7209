extension JSONText {
  /// Reads `2024-03-05T10:20:30Z`, or the same with an offset such as `+02:00`, in seconds since
  /// 1970; returns `nil` for any other form, which Foundation has to read.
  func isoTime(at start: Int, _ length: Int) -> Double? {
    guard length == 20 || length == 25,
      self[start + 4] == UInt8(ascii: "-"), self[start + 7] == UInt8(ascii: "-"),
      self[start + 10] == UInt8(ascii: "T"), self[start + 13] == UInt8(ascii: ":"),
      self[start + 16] == UInt8(ascii: ":"),
      let century = twoDigits(at: start), let years = twoDigits(at: start + 2),
      let month = twoDigits(at: start + 5), let day = twoDigits(at: start + 8),
      let hour = twoDigits(at: start + 11), let minute = twoDigits(at: start + 14),
      let second = twoDigits(at: start + 17), let offset = isoOffset(at: start + 19, length - 19)
    else { return nil }
    let year = century * 100 + years
    // For Foundation earlier years are of the Julian calendar.
    guard year >= 1600, 1...12 ~= month, 1...28 ~= day || 1...Self.days(in: month, year) ~= day,
      hour < 24, minute < 60, second < 60
    else { return nil }
    let days = Self.days(to: year, month) + day - 1
    // On watchOS an `Int` can have 32 bits, which end in 2038.
    return Double(days) * 86_400 + Double((hour * 60 + minute) * 60 + second - offset)
  }

  /// The offset from UTC in seconds.
  private func isoOffset(at start: Int, _ length: Int) -> Int? {
    let sign = self[start]
    if length == 1 { return sign == UInt8(ascii: "Z") ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      self[start + 3] == UInt8(ascii: ":"), let hours = twoDigits(at: start + 1), hours <= 14,
      let minutes = twoDigits(at: start + 4), minutes < 60
    else { return nil }
    let offset = (hours * 60 + minutes) * 60
    return sign == UInt8(ascii: "-") ? -offset : offset
  }

  private func twoDigits(at offset: Int) -> Int? {
    let (tens, ones) = (self[offset] &- UInt8(ascii: "0"), self[offset + 1] &- UInt8(ascii: "0"))
    return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
  }

  private static func days(in month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the days from 1970 to the first of a month, counted in years that begin in March.
  private static func days(to year: Int, _ month: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let march = (month + 9) % 12
    return year * 365 + year / 4 - year / 100 + year / 400 + (march * 153 + 2) / 5 - 719_468
  }
}
