import Foundation

/// Writes failures and their reasons.
struct FailureList {
  let output: Output

  /// Writes all failures. Without a network, one line stands for all feeds.
  func write(_ results: [FeedResult], now: Date) {
    if results.isOffline {
      let cause = results.contains { $0.isSkipped } ? "as asked" : "no feed could be reached"
      let age = Age.phrase(results.compactMap(\.feed.read), now: now)
      output.line("\(output.styled("Offline", .red)), \(cause). What is listed was \(age).")
      return
    }
    let failed = results.filter { $0.state != .fresh }
    guard !failed.isEmpty else { return }
    let feeds = results.count.counting("feed")
    output.line(output.styled("\(failed.count) of \(feeds) failed", .red))
    for result in failed { write(result, now: now) }
  }

  /// Writes one failure. The error's own description is complete, and safe on a terminal.
  func write(_ failure: any Error, of name: String) {
    output.line("\(output.styled("✗", .red)) \(name)")
    for line in String(describing: failure).split(separator: "\n").flatMap(fitted) {
      output.line("  " + line)
    }
  }

  /// Wraps a line of an error for a terminal. A command to be copied stays whole.
  private func fitted(_ line: Substring) -> [String] {
    guard output.isTerminal, !line.contains("curl ") else { return [String(line)] }
    let indent = String(line.prefix { $0 == " " })
    return line.wrapped(to: output.width - indent.count - 4).enumerated()
      .map { index, text in indent + (index == 0 ? "" : "  ") + text }
  }

  private func write(_ result: FeedResult, now: Date) {
    let age = result.feed.read.map { " (listed as it was \(Age.phrase([$0], now: now)))" } ?? ""
    let name = result.feed.name + (result.change == nil ? age : " (a further page of it)")
    if let failure = result.failure { return write(failure, of: name) }
    output.line("\(output.styled("✗", .red)) \(name)")
    if result.feed.read == nil { output.line("  isn't kept yet, and nothing is loaded offline") }
  }
}
