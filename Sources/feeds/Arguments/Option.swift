import Foundation
import ResourceFeeds

/// An option of the command line, and the words behind it, the first of which may be its value.
///
/// Its methods take the value, and throw a `UsageError` if there is none or it is wrong.
struct Option {
  let name: String
  /// The value behind `=`; `nil` if there is none.
  let given: String?
  private(set) var rest: ArraySlice<String>

  init(_ word: String, followedBy rest: ArraySlice<String>) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    (name, given) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    self.rest = rest
  }
}

extension Option {
  /// The value as it is.
  mutating func text() throws(UsageError) -> String {
    guard let text = given ?? rest.popFirst() else { throw UsageError("\(name) needs a value") }
    return text
  }

  /// The path of a file.
  mutating func path() throws(UsageError) -> String {
    try value("the path of a file") { $0.isEmpty ? nil : $0 }
  }

  /// A whole number.
  mutating func number(in range: ClosedRange<Int>) throws(UsageError) -> Int {
    try value("a number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A number of seconds, fractions too.
  mutating func seconds(in range: ClosedRange<Double>) throws(UsageError) -> Duration {
    let limits = String(format: "seconds from %g to %g", range.lowerBound, range.upperBound)
    return try value(limits) { text in
      Double(text).flatMap { range.contains($0) ? .milliseconds(Int(($0 * 1000).rounded())) : nil }
    }
  }

  /// A point in time: a day with both of its ends, or an interval without a length.
  mutating func time(_ now: Date) throws(UsageError) -> DateInterval {
    let forms =
      "a day (2026-11-20), a moment (2026-11-20T18:00Z) or a time ago (30m, 12h, 7d, 2w)"
    return try value(forms) { DateInterval(typed: $0, now: now) }
  }

  private mutating func value<Value>(
    _ kind: String, _ parse: (String) -> Value?
  ) throws(UsageError) -> Value {
    let text = try text()
    guard let value = parse(text) else {
      throw UsageError("\(name) takes \(kind), not \"\(text)\"")
    }
    return value
  }
}

extension DateInterval {
  /// Reads a point in time as somebody types it: a day in a zone (`2026-11-20`), which lasts until
  /// the next midnight, a moment (`2026-11-20T18:00Z`), or a time ago (`30m`, `12h`, `7d`, `2w`).
  ///
  /// - Returns: `nil` if the text is something else, or there is no such day.
  init?(typed text: String, now: Date, in zone: TimeZone = .current) {
    let units: [Substring: Double] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    if let ago = text.wholeMatch(of: #/([0-9]{1,6})([mhdw])/#)?.output,
      let count = Double(ago.1), let unit = units[ago.2]
    {
      self.init(start: now - count * unit, duration: 0)
    } else if text.contains(where: { "Tt".contains($0) }), let date = FeedDate.parse(text) {
      self.init(start: date, duration: 0)
    } else if let day = Self.day(text, in: zone) {
      self = day
    } else {
      return nil
    }
  }

  private static func day(_ text: String, in zone: TimeZone) -> DateInterval? {
    let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day()
    guard text.count == 10, FeedDate.parse(text) != nil, let date = try? style.parse(text) else {
      return nil
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar.dateInterval(of: .day, for: date)
  }
}
