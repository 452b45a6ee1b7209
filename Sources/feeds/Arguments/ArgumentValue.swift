import Foundation
import ResourceFeeds

/// Reads the values of options. Each function throws a `UsageError` that names the option and what it takes.
enum ArgumentValue {
  /// An `http` or `https` URL with a host.
  static func url(_ text: String) throws(UsageError) -> URL {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      scheme == "http" || scheme == "https", url.host()?.isEmpty == false
    else { throw UsageError("\"\(text)\" is no http or https URL") }
    return url
  }

  /// A whole number in a range.
  static func number(
    _ text: String, of option: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
    }
    return number
  }

  /// Seconds, fractions too.
  static func duration(_ text: String, of option: String) throws(UsageError) -> Duration {
    guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
      throw UsageError("\(option) takes seconds from 0.001 to 86400, not \"\(text)\"")
    }
    return .milliseconds(Int((seconds * 1000).rounded()))
  }

  /// A day, a moment, or a time ago.
  static func moment(_ text: String, of option: String) throws(UsageError) -> Moment {
    guard let moment = Moment(text) else {
      throw UsageError(
        "\(option) takes a day (2026-11-20), a moment (2026-11-20T18:00Z) or a time ago "
          + "(30m, 12h, 7d, 2w), not \"\(text)\"")
    }
    return moment
  }

  /// The path of a file.
  static func location(_ text: String, of option: String) throws(UsageError) -> LibraryLocation {
    guard !text.isEmpty else { throw UsageError("\(option) takes the path of a file") }
    return LibraryLocation(path: text)
  }
}

/// A point in time as somebody types it.
enum Moment: Equatable, Sendable {
  /// A whole day, wherever the program runs: `2026-11-20`.
  case day(year: Int, month: Int, day: Int)
  /// A moment with its zone: `2026-11-20T18:00Z`.
  case date(Date)
  /// A number of seconds ago: `30m`, `12h`, `7d`, `2w`.
  case ago(Double)

  /// Reads any of these, `nil` if it is something else or there is no such day.
  init?(_ text: String) {
    if let moment = Self.ago(text) ?? Self.day(text) {
      self = moment
    } else if text.contains(where: { "Tt".contains($0) }), let date = FeedDate.parse(text) {
      self = .date(date)
    } else {
      return nil
    }
  }
}

extension Moment {
  /// Returns the beginning.
  ///
  /// - Parameters:
  ///   - now: What times ago count from.
  ///   - zone: Where days begin.
  func beginning(now: Date, in zone: TimeZone) -> Date { date(now: now, in: zone, daysLater: 0) }

  /// Returns the end: of a day the next midnight, of anything else its beginning.
  func end(now: Date, in zone: TimeZone) -> Date { date(now: now, in: zone, daysLater: 1) }

  private func date(now: Date, in zone: TimeZone, daysLater days: Int) -> Date {
    switch self {
    case .date(let date): return date
    case .ago(let seconds): return now - seconds
    case .day(let year, let month, let day):
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let parts = DateComponents(year: year, month: month, day: day + days)
      return calendar.date(from: parts) ?? now
    }
  }

  private static func ago(_ text: String) -> Moment? {
    let units: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let unit = text.last.flatMap({ units[$0] }), let count = digits(text.dropLast()) else {
      return nil
    }
    return .ago(Double(count) * unit)
  }

  private static func day(_ text: String) -> Moment? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(digits)
    guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
      FeedDate.parse(text) != nil
    else { return nil }
    return .day(year: year, month: month, day: day)
  }

  private static func digits(_ text: Substring) -> Int? {
    text.allSatisfy { ("0"..."9").contains($0) } && text.count < 7 ? Int(text) : nil
  }
}
