import Foundation
import ResourceLoading

/// An output for text: a terminal, a pipe, or a test's memory.
struct Output: Sendable {
  var write: @Sendable (String) -> Void
  /// Whether the output is a terminal, on which a line may be drawn over.
  var isTerminal = false
}

extension Output {
  func line(_ text: String = "") { write(text + "\n") }

  /// Writes a failure. The error's own description is complete, and safe on a terminal.
  func failure(_ error: any Error, of name: String) {
    line("✗ \(name)")
    for text in String(describing: error).split(separator: "\n") { line("  " + text) }
  }
}

extension Output {
  /// The standard output or the standard error stream.
  init(descriptor: Int32) {
    // The reader may have left, as `head` does: then there is nobody to report to.
    write = { text in systemWriteAll(text, to: descriptor) }
    isTerminal = isatty(descriptor) != 0
  }
}

extension Int {
  /// Returns the number with a noun, such as `1 item` or `2 items`.
  func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
