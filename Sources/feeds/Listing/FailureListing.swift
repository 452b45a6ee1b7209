import Foundation
import ResourceFeeds

/// Writes failures and their reasons.
struct FailureListing {
  let output: Output

  /// Writes every failure; nothing if there is none. Without a network, one line says it for all feeds.
  ///
  /// - Parameter now: What ages count from.
  func write(_ results: [FeedResult], now: Date) {
    if results.isOffline {
      let cause = results.contains { $0.isSkipped } ? "as asked" : "no feed could be reached"
      let age = Age.phrase(results.compactMap(\.kept?.read), now: now)
      output.line("\(output.styled("Offline", .red)), \(cause). What is listed was \(age).")
      return
    }
    let failed = results.filter { $0.state != .fresh }
    guard !failed.isEmpty else { return }
    let feeds = results.count == 1 ? "feed" : "feeds"
    output.line(output.styled("\(failed.count) of \(results.count) \(feeds) failed", .red))
    for result in failed { write(result, now: now) }
  }

  /// Writes one failure: the error tells the whole story itself.
  func write(_ failure: any Error, of name: String) {
    let lines = String(describing: failure).split(separator: "\n").map { PlainText.visible($0) }
    output.line("\(output.styled("✗", .red)) \(PlainText.visible(name))")
    for line in lines.flatMap(fitted) { output.line("  " + line) }
  }

  /// A line of an error in as many as a terminal needs. A command to be copied stays whole.
  private func fitted(_ line: String) -> [String] {
    guard output.isTerminal, !line.contains("curl ") else { return [line] }
    let indent = String(line.prefix { $0 == " " })
    return line.wrapped(to: output.width - indent.count - 4).enumerated()
      .map { index, text in indent + (index == 0 ? "" : "  ") + text }
  }

  private func write(_ result: FeedResult, now: Date) {
    let rest = result.change == nil ? "" : " (a further page of it)"
    let age = result.kept?.read.map { " (listed as it was \(Age.phrase([$0], now: now)))" } ?? ""
    let name = result.name + (result.change == nil ? age : rest)
    if let failure = result.failure {
      write(failure, of: name)
    } else {
      output.line("\(output.styled("✗", .red)) \(name)")
      if result.kept == nil { output.line("  isn't kept yet, and nothing is loaded offline") }
    }
  }
}
