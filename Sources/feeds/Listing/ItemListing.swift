import Foundation

/// Writes items as a list: date and title, and below them feed and link.
struct ItemListing {
  let channel: Channel

  /// Where a moment becomes a day.
  var timeZone = TimeZone.current

  /// Writes all items, with an empty line between.
  func write(_ items: [ListedItem]) {
    for (index, item) in items.enumerated() {
      if index > 0 { channel.line() }
      write(item)
    }
  }

  /// A narrow window has no room for a column of dates, so they get a line of their own there.
  private func write(_ listed: ListedItem) {
    let date = channel.styled(listed.item.listedDate.map(day) ?? "no date   ", .dim)
    let titles = Self.title(of: listed.item).wrapped(to: room).map { channel.styled($0, .bold) }
    var lines = titles.map { indent + $0 }
    if isNarrow {
      channel.line(date)
    } else {
      lines[0] = "\(date)  \(titles[0])"
    }
    lines += origin(of: listed).map { indent + $0 }
    for line in lines { channel.line(line) }
  }

  private var isNarrow: Bool { channel.width < 40 }
  private var indent: String { String(repeating: " ", count: isNarrow ? 2 : 12) }
  private var room: Int { channel.width - indent.count }

  /// Feed and link on one line if they fit, else on two. A link is never broken, so that it can be
  /// followed.
  private func origin(of listed: ListedItem) -> [String] {
    guard let link = listed.item.link?.absoluteString else {
      return [listed.feed.truncated(to: room)]
    }
    let line = "\(listed.feed) · \(link)"
    return line.columns <= room ? [line] : [listed.feed.truncated(to: room), link]
  }

  /// The title, else the beginning of the text.
  private static func title(of item: KeptItem) -> String {
    if let title = item.title.flatMap({ PlainText.line($0) }) { return title }
    let text = (item.summary ?? item.content).flatMap { PlainText.line(ofHTML: $0) }
    return text?.truncated(to: 100) ?? "(without a title)"
  }

  /// The day: `2026-11-20`.
  private func day(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day())
  }
}
