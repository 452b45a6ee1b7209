/// Where text goes: a terminal, a pipe, or a test's memory.
struct Channel: Sendable {
  /// Takes a piece of text.
  var write: @Sendable (String) -> Void

  /// Whether somebody looks at it, so that a line may be drawn over.
  var isTerminal = false

  /// Whether text may be coloured.
  var hasColour = false

  /// How many columns a line has.
  var width = 80
}

extension Channel {
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

  /// How text may look (ECMA-48 section 8.3.117).
  enum Style: Int {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
  }
}
