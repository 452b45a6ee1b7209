import Foundation
import ResourceFeeds

/// An output for text: a terminal, a pipe, or a test's memory.
struct Output: Sendable {
  /// Takes a piece of text.
  var write: @Sendable (String) -> Void

  /// Whether the output is a terminal, on which a line may be drawn over.
  var isTerminal = false

  /// Whether text may be coloured.
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

  /// A text in a style, where there is colour.
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
  /// The process's standard output.
  static func standardOutput(_ environment: [String: String]) -> Output {
    Output(.standardOutput, environment)
  }

  /// The process's standard error.
  static func standardError(_ environment: [String: String]) -> Output {
    Output(.standardError, environment)
  }

  private init(_ handle: FileHandle, _ environment: [String: String]) {
    // Whoever reads may have left, as head does: then there is nobody to tell.
    write = { text in try? handle.write(contentsOf: Data(text.utf8)) }
    isTerminal = isatty(handle.fileDescriptor) != 0 && environment["TERM"] != "dumb"
    hasColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    let columns = environment["COLUMNS"].flatMap { Int($0) }
    width = max(Self.windowWidth(handle.fileDescriptor) ?? columns ?? 80, 20)
  }

  /// The columns of the window behind a descriptor, `nil` if it is no window or doesn't say.
  private static func windowWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}

/// Shows progress: a bar that is drawn over itself on a terminal, a line for each step elsewhere.
struct ProgressDisplay {
  private let output: Output
  private let total: Int
  private var finished = 0

  init(_ output: Output, total: Int) {
    self.output = output
    self.total = total
    if output.isTerminal { output.write(bar("")) }
  }

  /// One more source has been read, or has failed.
  mutating func advance(_ reading: Reading) {
    finished += 1
    let items = reading.feed.map { $0.items.count == 1 ? "1 item" : "\($0.items.count) items" }
    if output.isTerminal {
      output.write(bar(reading.name))
    } else {
      output.line("[\(finished)/\(total)] \(reading.name): \(items ?? "failed")")
    }
  }

  /// Takes the bar away.
  func finish() {
    if output.isTerminal { output.write(Self.clear) }
  }
}

extension ProgressDisplay {
  /// To the first column, and all behind it erased.
  private static let clear = "\r\u{1B}[K"

  private func bar(_ name: String) -> String {
    let width = min(24, max(output.width - 20, 4))
    let filled = total == 0 ? width : width * finished / total
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let count = " \(finished)/\(total) "
    // The last column stays free: some terminals go to the next line after it.
    let room = max(output.width - width - count.count - 1, 1)
    return Self.clear + output.styled(bar, .green) + count + name.truncated(to: room)
  }
}
