/// Reads a line as a POSIX shell does, with `$'…'`: what isn't quoted stands for itself or is
/// refused.
struct ShellWords {
  /// The words; `nil` if a quote isn't closed, or something would be expanded.
  private(set) var words: [String]?

  init(_ line: String) {
    var scalars = Array(line.unicodeScalars)[...]
    var (words, word) = ([] as [String], nil as [UInt8]?)
    while let scalar = scalars.popFirst() {
      switch scalar {
      case " ":
        if let read = word { words.append(String(decoding: read, as: UTF8.self)) }
        word = nil
      case "'":
        guard let end = scalars.firstIndex(of: "'") else { return }
        word = (word ?? []) + Self.bytes(scalars[..<end])
        scalars = scalars[(end + 1)...]
      case "$":
        guard scalars.popFirst() == "'", let text = Self.dollarQuoted(&scalars) else { return }
        word = (word ?? []) + text
      case "\\":
        guard let next = scalars.popFirst() else { return }
        word = (word ?? []) + Self.bytes([next])
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", ":":
        word = (word ?? []) + Self.bytes([scalar])
      default: return
      }
    }
    if let word { words.append(String(decoding: word, as: UTF8.self)) }
    self.words = words
  }

  private static func bytes(_ scalars: ArraySlice<Unicode.Scalar>) -> [UInt8] {
    Array(String(String.UnicodeScalarView(scalars)).utf8)
  }

  private static func dollarQuoted(_ scalars: inout ArraySlice<Unicode.Scalar>) -> [UInt8]? {
    var text: [UInt8] = []
    while let scalar = scalars.popFirst() {
      guard scalar != "'" else { return text }
      guard scalar == "\\" else {
        text += bytes([scalar])
        continue
      }
      switch scalars.popFirst() {
      case "n": text.append(0x0A)
      case "'": text.append(0x27)
      case "\\": text.append(0x5C)
      case "x":
        // As many digits as there are, of which a shell takes two.
        let digits = String(String.UnicodeScalarView(scalars.prefix(2)))
        guard digits.count == 2, let byte = UInt8(digits, radix: 16) else { return nil }
        text.append(byte)
        scalars = scalars.dropFirst(2)
      default: return nil
      }
    }
    return nil
  }
}

/// A line as cURL reads it, as far as this library writes any.
struct CURLLine {
  private(set) var method: String?
  private(set) var headers: [String] = []
  private(set) var urls: [String] = []
  /// The files that it would read.
  private(set) var files: Set<String> = []
  /// Whether every option is one that is known here, with its value.
  private(set) var isWhole = true

  init(_ words: ArraySlice<String>) {
    var words = words
    var data = 0
    while let word = words.popFirst() {
      if word == "--globoff" { continue }
      if word == "--head" {
        method = "HEAD"
        continue
      }
      guard word.unicodeScalars.first == "-" else {
        urls.append(word)
        continue
      }
      guard let value = words.popFirst() else {
        isWhole = false
        return
      }
      switch word {
      case "-X": method = value
      case "-H":
        headers.append(value)
        if let file = Self.file(value) { files.insert(file) }
      case "--url": urls.append(value)
      case "--data-raw": data += 1
      case "--data-binary":
        data += 1
        if let file = Self.file(value) { files.insert(file) }
      case "--form-string": isWhole = isWhole && value.unicodeScalars.contains("=")
      case "-F": readPart(value)
      default: isWhole = false
      }
    }
    isWhole = isWhole && data <= 1
  }

  /// A part as cURL's `formparse` reads it: a name up to `=`, then a content, quoted or not, with
  /// options. Scalars, not characters: an accent behind a sign makes another character of it, and
  /// cURL doesn't mind.
  private mutating func readPart(_ value: String) {
    let value = value.unicodeScalars
    guard let equals = value.firstIndex(of: "=") else {
      isWhole = false
      return
    }
    var content = value[value.index(after: equals)...]
    let first = content.first
    if first == "@" || first == "<" { content = content.dropFirst() }
    let (text, rest) = Self.word(content)
    // What is only told the size of has a name that no file has.
    if first == "@" || first == "<", !text.hasPrefix("<") { files.insert(text) }
    var options = rest
    while let separator = options.popFirst() {
      let name = options.prefix { $0 != "=" && $0 != ";" }
      // These may name files, and a comma more contents.
      if separator == "," || ["headers", "encoder"].contains(String(name).lowercased()) {
        isWhole = false
      }
      options = options[name.endIndex...]
      if options.first == "=" { options = Self.word(options.dropFirst()).1 }
    }
  }

  /// The file that a value names behind an `@`.
  private static func file(_ value: String) -> String? {
    value.unicodeScalars.first == "@" ? String(value.unicodeScalars.dropFirst()) : nil
  }

  /// What is quoted, or what ends at `;` or `,`, and the rest.
  private static func word(
    _ text: Substring.UnicodeScalarView
  ) -> (String, Substring.UnicodeScalarView) {
    guard text.first == "\"" else {
      let word = text.prefix { $0 != ";" && $0 != "," }
      return (String(word), text[word.endIndex...])
    }
    var (word, rest) = (String.UnicodeScalarView(), text.dropFirst())
    while let scalar = rest.popFirst() {
      if scalar == "\"" { break }
      if scalar == "\\", let next = rest.first, next == "\\" || next == "\"" {
        word.append(next)
        rest = rest.dropFirst()
      } else {
        word.append(scalar)
      }
    }
    return (String(word), rest)
  }
}
