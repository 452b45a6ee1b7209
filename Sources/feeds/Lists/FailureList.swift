import Foundation
import ResourceFeeds

/// Writes failures and their reasons.
struct FailureList {
  let output: Output

  /// Writes all failures. Without a network, one line stands for all feeds.
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

  /// Writes one failure. The error's own description is complete.
  func write(_ failure: any Error, of name: String) {
    let lines = String(describing: failure).split(separator: "\n").map { PlainText.visible($0) }
    output.line("\(output.styled("✗", .red)) \(PlainText.visible(name))")
    for line in lines.flatMap(fitted) { output.line("  " + line) }
  }

  /// Wraps a line of an error for a terminal. A command to be copied stays whole.
  private func fitted(_ line: String) -> [String] {
    guard output.isTerminal, !line.contains("curl ") else { return [line] }
    let indent = String(line.prefix { $0 == " " })
    return line.wrapped(to: output.width - indent.count - 4).enumerated()
      .map { index, text in indent + (index == 0 ? "" : "  ") + text }
  }

  private func write(_ result: FeedResult, now: Date) {
    let age = result.kept?.read.map { " (listed as it was \(Age.phrase([$0], now: now)))" } ?? ""
    let name = result.name + (result.change == nil ? age : " (a further page of it)")
    if let failure = result.failure {
      write(failure, of: name)
    } else {
      output.line("\(output.styled("✗", .red)) \(name)")
      if result.kept == nil { output.line("  isn't kept yet, and nothing is loaded offline") }
    }
  }
}
