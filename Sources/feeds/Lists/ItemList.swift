import Foundation
import ResourceFeeds
import ResourceLoading
import ResourcePrimitives

/// Writes items as a list: date and title, and below them feed and link.
struct ItemList {
  let output: Output
  /// The names of the feeds.
  let names: [URL: String]
  var timeZone = TimeZone.current

  /// Writes all items, with an empty line between.
  func write(_ items: [KeptItem]) {
    for (index, item) in items.enumerated() {
      if index > 0 { output.line() }
      write(item)
    }
  }

  private func write(_ item: KeptItem) {
    let link = item.link.flatMap { $0.isWeb ? " · \($0.absoluteString)" : nil } ?? ""
    output.line("\(item.listedDate.map(day) ?? "no date   ")  \(title(of: item))")
    output.line("            \(names[item.feed] ?? "")\(link)")
  }

  /// Returns the title, else the beginning of the text.
  private func title(of item: KeptItem) -> String {
    if let title = item.title.flatMap({ PlainText.line($0) }) { return title.shortened(to: 300) }
    let text = (item.summary ?? item.content).flatMap(PlainText.line(ofHTML:))
    return text?.shortened(to: 100) ?? "(without a title)"
  }

  private func day(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day())
  }
}

/// Describes how long ago something was.
enum Age {
  /// Returns a phrase for times of reading: `read 2 hours ago`, `read between 3 days and 2 hours
  /// ago`.
  static func phrase(_ dates: [Date], now: Date) -> String {
    guard let first = dates.min(), let last = dates.max() else { return "never read" }
    let (oldest, newest) = (text(now.timeIntervalSince(first)), text(now.timeIntervalSince(last)))
    if oldest == newest { return oldest == "now" ? "read just now" : "read \(oldest) ago" }
    return "read between \(oldest) ago and \(newest == "now" ? "now" : "\(newest) ago")"
  }

  /// Returns the largest whole unit, such as `2 hours`; `now` below a minute, and if a clock was
  /// put back.
  private static func text(_ seconds: Double) -> String {
    let units = [(86_400.0, "day"), (3600, "hour"), (60, "minute")]
    guard let (unit, name) = units.first(where: { seconds >= $0.0 }) else { return "now" }
    return Int(seconds / unit).counting(name)
  }
}
