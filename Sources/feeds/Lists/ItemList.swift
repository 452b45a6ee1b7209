import Foundation
import ResourceFeeds

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

  /// A narrow window has no room for a column of dates, so each gets a line of its own there.
  private func write(_ item: KeptItem) {
    let date = output.styled(item.listedDate.map(day) ?? "no date   ", .dim)
    let titles = title(of: item).wrapped(to: room).map { output.styled($0, .bold) }
    var lines = titles.map { indent + $0 }
    if isNarrow {
      output.line(date)
    } else {
      lines[0] = "\(date)  \(titles[0])"
    }
    for line in lines + origin(of: item).map({ indent + $0 }) { output.line(line) }
  }

  private var isNarrow: Bool { output.width < 40 }
  private var indent: String { String(repeating: " ", count: isNarrow ? 2 : 12) }
  private var room: Int { output.width - indent.count }

  /// Returns feed and link on one line if they fit, else on two. A link is never broken, so that it
  /// can be followed.
  private func origin(of item: KeptItem) -> [String] {
    let name = names[item.feed] ?? ""
    guard let link = item.link, link.isWeb else { return [name.truncated(to: room)] }
    let line = "\(name) · \(link.absoluteString)"
    return line.columns <= room ? [line] : [name.truncated(to: room), link.absoluteString]
  }

  /// Returns the title, else the beginning of the text.
  private func title(of item: KeptItem) -> String {
    if let title = item.title.flatMap({ PlainText.line($0) }) { return title.truncated(to: 300) }
    let text = (item.summary ?? item.content).flatMap(PlainText.line(ofHTML:))
    return text?.truncated(to: 100) ?? "(without a title)"
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
