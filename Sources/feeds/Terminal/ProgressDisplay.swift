import Synchronization

/// Shows progress: a bar that is drawn over itself on a terminal, a line for each feed elsewhere.
final class ProgressDisplay: Sendable {
  private let output: Output
  private let total: Int
  private let finished = Mutex(0)

  init(_ output: Output, total: Int) {
    self.output = output
    self.total = total
  }

  /// Counts one more feed as finished; `itemCount` is `nil` if it failed.
  func advance(_ name: String, itemCount count: Int?) {
    finished.withLock { finished in
      finished += 1
      if output.isTerminal {
        output.write(bar(finished, name))
      } else {
        output.line("[\(finished)/\(total)] \(name): \(count?.counting("item") ?? "failed")")
      }
    }
  }

  func finish() {
    if output.isTerminal { output.write(Self.clear) }
  }

  /// Returns to the first column and erases the line.
  private static let clear = "\r\u{1B}[K"

  private func bar(_ finished: Int, _ name: String) -> String {
    let width = 24
    let filled = width * finished / total
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    return Self.clear + "\(bar) \(finished)/\(total) \(name.prefix(40))"
  }
}
