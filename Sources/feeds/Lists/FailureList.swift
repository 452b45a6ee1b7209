import Foundation

/// Writes failures and their reasons.
struct FailureList {
  let output: Output

  /// Writes all failures. Without a network, one line stands for all feeds.
  func write(_ results: [FeedResult], now: Date) {
    if results.isOffline {
      let cause = results.contains { $0.isSkipped } ? "as asked" : "no feed could be reached"
      let age = Age.phrase(results.compactMap(\.feed.read), now: now)
      output.line("Offline, \(cause). What is listed was \(age).")
      return
    }
    let failed = results.filter { $0.state != .fresh }
    guard !failed.isEmpty else { return }
    let feeds = results.count.counting("feed")
    output.line("\(failed.count) of \(feeds) failed")
    for result in failed { write(result, now: now) }
  }

  /// Writes one failure. The error's own description is complete, and safe on a terminal.
  func write(_ failure: any Error, of name: String) {
    output.line("✗ \(name)")
    for line in String(describing: failure).split(separator: "\n") {
      output.line("  " + line)
    }
  }

  private func write(_ result: FeedResult, now: Date) {
    let age = result.feed.read.map { " (listed as it was \(Age.phrase([$0], now: now)))" } ?? ""
    let name = result.feed.name + (result.change == nil ? age : " (a further page of it)")
    if let failure = result.failure { return write(failure, of: name) }
    output.line("✗ \(name)")
    if result.feed.read == nil { output.line("  isn't kept yet, and nothing is loaded offline") }
  }
}
