import Foundation
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// An output for text: a terminal, a pipe, or a test's memory.
struct Output: Sendable {
  var write: @Sendable (String) -> Void
  /// Whether the output is a terminal, on which a line may be drawn over.
  var isTerminal = false
}

extension Output {
  /// Writes a line.
  func line(_ text: String = "") { write(text + "\n") }
}

extension Output {
  /// Creates the output for a file handle of the process.
  init(_ handle: FileHandle, _ environment: [String: String]) {
    // The reader may have left, as head does: then there is nobody to report to.
    write = { text in try? handle.write(contentsOf: Data(text.utf8)) }
    isTerminal = isatty(handle.fileDescriptor) != 0 && environment["TERM"] != "dumb"
  }
}

/// Shows progress: a bar that is drawn over itself on a terminal, a line for each step elsewhere.
final class ProgressDisplay: Sendable {
  private let output: Output
  private let total: Int
  /// The number of finished feeds; `nil` at the end.
  private let finished = Mutex<Int?>(0)

  init(_ output: Output, total: Int) {
    self.output = output
    self.total = total
    if isBar { output.write(bar(0, "")) }
  }

  /// Counts one more feed as finished.
  ///
  /// - Parameter count: The number of its items; `nil` if it failed.
  func advance(_ name: String, itemCount count: Int?) {
    finished.withLock { finished in
      guard let number = finished.map({ $0 + 1 }) else { return }
      finished = number
      if isBar {
        output.write(bar(number, name))
      } else {
        output.line("[\(number)/\(total)] \(name): \(count?.counting("item") ?? "failed")")
      }
    }
  }

  /// Removes the bar. Nothing more is shown.
  func finish() {
    finished.withLock { $0 = nil }
    if isBar { output.write(Self.clear) }
  }

  private var isBar: Bool { output.isTerminal && total > 0 }

  /// Returns to the first column and erases the line.
  private static let clear = "\r\u{1B}[K"

  private func bar(_ finished: Int, _ name: String) -> String {
    let width = 24
    let filled = width * finished / total
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    return Self.clear + "\(bar) \(finished)/\(total) \(name.shortened(to: 40))"
  }
}

extension Int {
  /// Returns the number with a noun, such as `1 item` or `2 items`.
  func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
