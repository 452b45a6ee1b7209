import Foundation
import Synchronization

/// An output for text: a terminal, a pipe, or a test's memory.
struct Output: Sendable {
  var write: @Sendable (String) -> Void
  /// Whether the output is a terminal, on which a line may be drawn over.
  var isTerminal = false
  var hasColour = false
  /// The columns of a line.
  var width = 80
}

extension Output {
  /// Writes a line.
  func line(_ text: String = "") { write(text + "\n") }

  /// Writes a remark in as many lines as it needs.
  func note(_ text: String) {
    for text in text.wrapped(to: width) { line(styled(text, .dim)) }
  }

  /// Returns a text in a style, if the output has colour.
  func styled(_ text: String, _ style: Style) -> String {
    hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A style of text (ECMA-48 section 8.3.117).
  enum Style: Int {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
  }
}

extension Output {
  /// Makes the output for a file handle of the process.
  init(_ handle: FileHandle, _ environment: [String: String]) {
    // The reader may have left, as head does: then there is nobody to report to.
    write = { text in try? handle.write(contentsOf: Data(text.utf8)) }
    isTerminal = isatty(handle.fileDescriptor) != 0 && environment["TERM"] != "dumb"
    hasColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    let columns = environment["COLUMNS"].flatMap { Int($0) }
    width = max(Self.windowWidth(handle.fileDescriptor) ?? columns ?? 80, 20)
  }

  private static func windowWidth(_ descriptor: Int32) -> Int? {
    // What the system writes for this request is a `winsize`.
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
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
    let width = min(24, max(output.width - 20, 4))
    let filled = width * finished / total
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let count = " \(finished)/\(total) "
    // The last column stays free: some terminals go to the next line after it.
    let room = max(output.width - width - count.count - 1, 1)
    return Self.clear + output.styled(bar, .green) + count + name.truncated(to: room)
  }
}

extension Int {
  /// Returns the number with a noun, such as `1 item` or `2 items`.
  func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
