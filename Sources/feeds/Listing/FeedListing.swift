import Foundation

/// Writes feeds as a list: the title, and below it what is known of it and the URL.
struct FeedListing {
  let channel: Channel
  let now: Date

  /// Writes each feed with the number of its items.
  func write(_ feeds: [(feed: KeptFeed, items: Int)]) {
    for (feed, count) in feeds {
      let items = count == 1 ? "1 item" : "\(count) items"
      let age = Age.phrase([feed.read].compactMap(\.self), now: now)
      channel.line(channel.styled(feed.source.name.truncated(to: channel.width), .bold))
      channel.line("  \(items), \(age)")
      channel.line("  \(feed.url.absoluteString)")
    }
  }
}
