/// Steps over the parts of a header field's value (RFC 9110 section 5.6), scalar by scalar.
package struct FieldScanner {
  private var rest: Substring.UnicodeScalarView

  package init(_ value: String) { rest = value[...].unicodeScalars }

  package var isAtEnd: Bool { rest.isEmpty }

  /// Steps over a scalar if it is the next one, and returns whether it was.
  package mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  /// Steps over spaces and tabs (section 5.6.3), and over another scalar among them.
  package mutating func skipSpace(and other: Unicode.Scalar = " ") {
    rest = rest.drop { $0 == " " || $0 == "\t" || $0 == other }
  }

  /// Steps over the text before any of some delimiters, quoted strings among it.
  package mutating func skipText(before delimiters: String) {
    while let next = rest.first, !delimiters.unicodeScalars.contains(next) {
      if next == "\"" { _ = value(before: "") } else { rest.removeFirst() }
    }
  }

  /// Steps over the text before any of some delimiters, and returns it.
  package mutating func text(before delimiters: String) -> String {
    let text = rest.prefix { !delimiters.unicodeScalars.contains($0) }
    rest = rest[text.endIndex...]
    return String(text)
  }

  /// Steps over a quoted string (section 5.6.4), which may lack its end, or otherwise over the text
  /// before any of some delimiters. Returns the text, or the content of the quoted string without
  /// escapes.
  package mutating func value(before delimiters: String) -> String {
    guard skip("\"") else { return text(before: delimiters) }
    var value = String.UnicodeScalarView()
    while let scalar = rest.popFirst(), scalar != "\"" {
      value.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
    }
    return String(value)
  }

  /// Steps over a parameter (section 5.6.6) with its semicolon. Returns the name in lower case, and
  /// the value, both of which may be empty; `nil` if no semicolon is next.
  package mutating func parameter() -> (name: String, value: String)? {
    skipSpace()
    guard skip(";") else { return nil }
    skipSpace()
    let name = text(before: " \t=;,").lowercased()
    skipSpace()
    guard skip("=") else { return (name, "") }
    skipSpace()
    return (name, value(before: " \t;,"))
  }
}
