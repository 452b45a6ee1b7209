import Foundation
import ResourceFeeds

/// A point in time as somebody types it.
enum PointInTime: Equatable, Sendable {
  /// A whole day in local time: `2026-11-20`.
  case day(year: Int, month: Int, day: Int)
  /// A moment with its zone: `2026-11-20T18:00Z`.
  case date(Date)
  /// A number of seconds ago: `30m`, `12h`, `7d`, `2w`.
  case ago(Double)

  /// Reads any of these; `nil` if the text is something else or there is no such day.
  init?(_ text: String) {
    if let point = Self.ago(text) ?? Self.day(text) {
      self = point
    } else if text.contains(where: { "Tt".contains($0) }), let date = FeedDate.parse(text) {
      self = .date(date)
    } else {
      return nil
    }
  }

  private static func ago(_ text: String) -> PointInTime? {
    let units: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let unit = text.last.flatMap({ units[$0] }), let count = number(text.dropLast()) else {
      return nil
    }
    return .ago(Double(count) * unit)
  }

  private static func day(_ text: String) -> PointInTime? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).compactMap(number)
    guard parts.count == 3, FeedDate.parse(text) != nil else { return nil }
    return .day(year: parts[0], month: parts[1], day: parts[2])
  }

  private static func number(_ text: Substring) -> Int? {
    text.allSatisfy { ("0"..."9").contains($0) } && text.count < 7 ? Int(text) : nil
  }
}

extension PointInTime {
  /// Returns the beginning: of a day in `zone`, of a time ago counted from `now`.
  func beginning(now: Date, in zone: TimeZone) -> Date { date(now: now, in: zone, daysLater: 0) }

  /// Returns the end: of a day the next midnight, otherwise the beginning.
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
}
