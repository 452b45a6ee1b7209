/// Writes what failed and why.
struct FailureListing {
  let channel: Channel

  /// Writes every failure; nothing if there is none.
  func write(_ readings: [Reading]) {
    let failed = readings.filter { $0.failure != nil }
    guard !failed.isEmpty else { return }
    let feeds = readings.count == 1 ? "feed" : "feeds"
    channel.line(channel.styled("\(failed.count) of \(readings.count) \(feeds) failed", .red))
    for reading in failed {
      guard let failure = reading.failure else { continue }
      let rest = reading.feed == nil ? "" : " (a further page of it)"
      write(failure, of: reading.name + rest)
    }
  }

  /// Writes one failure: the error tells the whole story itself.
  func write(_ failure: any Error, of name: String) {
    let lines = String(describing: failure).split(separator: "\n").map { PlainText.visible($0) }
    channel.line("\(channel.styled("✗", .red)) \(name)")
    for line in lines { channel.line("  " + line) }
  }
}
