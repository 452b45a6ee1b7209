import Foundation

/// Says how long ago something was.
enum Age {
  /// When some things were read: `read 2 hours ago`, `read between 3 days and 2 hours ago`.
  static func phrase(_ dates: [Date], now: Date) -> String {
    guard let first = dates.min(), let last = dates.max() else { return "never read" }
    let (oldest, newest) = (text(now.timeIntervalSince(first)), text(now.timeIntervalSince(last)))
    if oldest == newest { return oldest == "now" ? "read just now" : "read \(oldest) ago" }
    return "read between \(oldest) ago and \(newest == "now" ? "now" : "\(newest) ago")"
  }

  /// The largest whole unit: `2 hours`; `now` below a minute, and where a clock was put back.
  private static func text(_ seconds: Double) -> String {
    let units = [(86_400.0, "day"), (3600, "hour"), (60, "minute")]
    guard let (unit, name) = units.first(where: { seconds >= $0.0 }) else { return "now" }
    let count = Int(seconds / unit)
    return count == 1 ? "1 \(name)" : "\(count) \(name)s"
  }
}
