import Foundation

/// Writes what failed and why.
struct FailureListing {
  let channel: Channel

  /// Writes every failure; nothing if there is none. Without a network, one line says it for all feeds.
  ///
  /// - Parameter now: What ages count from.
  func write(_ visits: [FeedVisit], now: Date) {
    if visits.isOffline {
      let cause = visits.contains { $0.isSkipped } ? "as asked" : "no feed could be reached"
      let age = Age.phrase(visits.compactMap(\.kept?.read), now: now)
      channel.line("\(channel.styled("Offline", .red)), \(cause). What is listed was \(age).")
      return
    }
    let failed = visits.filter { $0.state != .fresh }
    guard !failed.isEmpty else { return }
    let feeds = visits.count == 1 ? "feed" : "feeds"
    channel.line(channel.styled("\(failed.count) of \(visits.count) \(feeds) failed", .red))
    for visit in failed { write(visit, now: now) }
  }

  /// Writes one failure: the error tells the whole story itself.
  func write(_ failure: any Error, of name: String) {
    let lines = String(describing: failure).split(separator: "\n").map { PlainText.visible($0) }
    channel.line("\(channel.styled("✗", .red)) \(PlainText.visible(name))")
    for line in lines.flatMap(fitted) { channel.line("  " + line) }
  }

  /// A line of an error in as many as a terminal needs. A command to be copied stays whole.
  private func fitted(_ line: String) -> [String] {
    guard channel.isTerminal, !line.contains("curl ") else { return [line] }
    let indent = String(line.prefix { $0 == " " })
    return line.wrapped(to: channel.width - indent.count - 4).enumerated()
      .map { index, text in indent + (index == 0 ? "" : "  ") + text }
  }

  private func write(_ visit: FeedVisit, now: Date) {
    let rest = visit.change == nil ? "" : " (a further page of it)"
    let age = visit.kept?.read.map { " (listed as it was \(Age.phrase([$0], now: now)))" } ?? ""
    let name = visit.name + (visit.change == nil ? age : rest)
    if let failure = visit.failure {
      write(failure, of: name)
    } else {
      channel.line("\(channel.styled("✗", .red)) \(name)")
      if visit.kept == nil { channel.line("  isn't kept yet, and nothing is loaded offline") }
    }
  }
}
