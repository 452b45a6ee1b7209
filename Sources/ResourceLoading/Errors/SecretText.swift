/// Finds secrets by their names in any text: in members of JSON, in forms, queries and parameters of paths and
/// headers, in elements of XML, in lines such as `Authorization: …`, and in the user info of URLs.
///
/// It takes one pass over the bytes, in time proportional to their number. The syntax needn't be valid, because texts may be
/// cut, and servers send anything.
package struct SecretText: Sendable {
  /// A piece of the text that is replaced.
  package struct Finding: Equatable, Sendable {
    package var range: Range<Int>
    /// Whether it stands under a quoted name without quotes of its own, and is to have some.
    package var needsQuotes = false
  }

  private let bytes: [UInt8]
  private let names: Set<String>?
  private let publicNames: Set<String>
  private var findings: [Finding] = []
  private var place = 0
  /// The places behind the last quotes but one, and behind the last.
  private var quotes = (first: 0, second: 0)
  /// The name of the XML tag that the place is in.
  private var tag: Range<Int>?

  /// Longer names are judged by their ends.
  private static let longestName = 256

  private init(_ bytes: [UInt8], _ names: Set<String>?, _ publicNames: Set<String>) {
    self.bytes = bytes
    self.names = names
    self.publicNames = publicNames
  }
}

extension SecretText {
  /// Returns a text with the secrets in it replaced.
  ///
  /// - Parameters:
  ///   - text: The text, which may be a part of a longer one.
  ///   - names: Names that the caller says are secret, too.
  package static func redact(_ text: String, names: Set<String>? = nil) -> String {
    let bytes = Array(text.utf8)
    let findings = findings(in: bytes, names: names)
    guard !findings.isEmpty else { return text }
    return String(decoding: redact(bytes[...], findings), as: UTF8.self)
  }

  /// Returns a piece of a text with what was found in it replaced; a finding counts if it begins in the piece.
  static func redact(_ piece: ArraySlice<UInt8>, _ findings: [Finding]) -> [UInt8] {
    var redacted: [UInt8] = []
    var copied = piece.startIndex
    for finding in findings where piece.indices.contains(finding.range.lowerBound) {
      redacted += piece[copied..<finding.range.lowerBound]
      redacted += (finding.needsQuotes ? "\"\(Secrets.replacement)\"" : Secrets.replacement).utf8
      copied = min(finding.range.upperBound, piece.endIndex)
    }
    return redacted + piece[copied...]
  }

  /// Returns where secrets stand, in order and apart from each other.
  ///
  /// - Parameters:
  ///   - bytes: The text, which may be a part of a longer one.
  ///   - names: Names that the caller says are secret, too.
  ///   - publicNames: Names that look like those of secrets, and aren't.
  package static func findings(
    in bytes: [UInt8], names: Set<String>? = nil, publicNames: Set<String> = []
  ) -> [Finding] {
    var text = SecretText(bytes, names, publicNames)
    while text.place < bytes.count { text.step() }
    return text.findings
  }
}

// MARK: - Stepping

extension SecretText {
  private func byte(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func step() {
    let byte = bytes[place]
    switch byte {
    case UInt8(ascii: ":"), UInt8(ascii: "="): readPair(byte)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      quotes = (quotes.second, place + 1)
      place += 1
    case UInt8(ascii: "<"): openTag()
    case UInt8(ascii: ">"): closeTag()
    case UInt8(ascii: "/") where self.byte(place + 1) == byte: readAuthority()
    default: place += 1
    }
  }

  private mutating func found(_ range: Range<Int>, needsQuotes: Bool = false) {
    if !range.isEmpty { findings.append(Finding(range: range, needsQuotes: needsQuotes)) }
    place = max(place, range.upperBound)
  }

  private static func isSpace(_ byte: UInt8?) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func isQuote(_ byte: UInt8?) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  /// The bytes that end a name without quotes. Brackets, dots and escapes are parts of names in forms.
  private static let delimiters: [Bool] = {
    var table = [Bool](repeating: false, count: 256)
    for byte in 0...0x20 { table[byte] = true }
    for byte in "\"'&:;,?#<>{}()=|/`\\".utf8 { table[Int(byte)] = true }
    return table
  }()
}

// MARK: - Pairs

extension SecretText {
  /// A name with what is known of it.
  private struct Name {
    var range: Range<Int>
    var isQuoted = false
  }

  /// Steps over a `:` or `=`, and over the value behind it if the name before it is one of a secret.
  private mutating func readPair(_ separator: UInt8) {
    let name = nameBeforePlace
    let isLine = separator == UInt8(ascii: ":") && !name.isQuoted
    place += 1
    guard !isLine || isHeader(name.range), isSecret(name) else { return }
    readValue(of: name, isLine: isLine)
  }

  private var nameBeforePlace: Name {
    var end = place
    while end > 0, place - end < 64, Self.isSpace(bytes[end - 1]) { end -= 1 }
    if end > 0, Self.isQuote(bytes[end - 1]) {
      return Name(range: quotedName(end - 1), isQuoted: true)
    }
    var start = end
    while start > 0, end - start < Self.longestName, !Self.delimiters[Int(bytes[start - 1])] {
      start -= 1
    }
    return Name(range: start..<end)
  }

  /// Returns the text between the quotes of which the second is at a place; both may be escaped.
  private func quotedName(_ closing: Int) -> Range<Int> {
    guard quotes.second == closing + 1, quotes.first < closing else { return closing..<closing }
    let end = bytes[closing - 1] == UInt8(ascii: "\\") ? closing - 1 : closing
    return max(quotes.first, end - Self.longestName)..<end
  }

  /// Whether a name before a colon is one of a line such as `Name: value`.
  private func isHeader(_ name: Range<Int>) -> Bool {
    (Self.isSpace(byte(place)) || Self.isQuote(byte(place))) && !isWord(name)
  }

  /// Whether a name is one that is seldom followed by a secret where people or errors speak.
  private func isWord(_ name: Range<Int>) -> Bool {
    ["code", "key"].contains { Secrets.folded(bytes[name]).elementsEqual($0.utf8) }
  }

  private func isSecret(_ name: Name) -> Bool {
    var text = String(decoding: bytes[name.range], as: UTF8.self)
    if name.isQuoted { text = text.withoutEscapes }
    return Secrets.isSecret(name: text, or: names) && !publicNames.contains(text)
  }

  /// Steps over a value and takes note of it.
  private mutating func readValue(of name: Name, isLine: Bool) {
    var start = place
    while Self.isSpace(byte(start)), bytes[start] != 0x0A || name.isQuoted { start += 1 }
    guard let first = byte(start) else { return }
    let isEscaped = first == UInt8(ascii: "\\")
    let quote = isEscaped ? byte(start + 1) : first
    if let quote, Self.isQuote(quote) {
      return readString(from: start + (isEscaped ? 2 : 1), quote, isEscaped)
    }
    if name.isQuoted, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return found(start..<endOfStructure(from: start), needsQuotes: true)
    }
    found(start..<endOfBareValue(from: start, isLine), needsQuotes: name.isQuoted)
  }

  private mutating func readString(from start: Int, _ quote: UInt8, _ isEscaped: Bool) {
    var end = start
    while let byte = byte(end), byte != quote {
      if byte == UInt8(ascii: "\\") {
        if isEscaped, self.byte(end + 1) == quote { break }
        end += 1
      }
      end += 1
    }
    found(start..<min(end, bytes.count))
    quotes = (start, start)
  }

  /// The end of an object or a list; of what is cut off that of the text.
  private func endOfStructure(from start: Int) -> Int {
    var (place, depth, isString) = (start, 0, false)
    while let byte = byte(place) {
      switch byte {
      case UInt8(ascii: "\\") where isString: place += 1
      case UInt8(ascii: "\""): isString.toggle()
      case UInt8(ascii: "{") where !isString, UInt8(ascii: "[") where !isString: depth += 1
      case UInt8(ascii: "}") where !isString, UInt8(ascii: "]") where !isString: depth -= 1
      default: break
      }
      place += 1
      if depth == 0 { return place }
    }
    return bytes.count
  }

  /// The end of a value without quotes; behind the name of a line it is that of the line.
  private func endOfBareValue(from start: Int, _ isLine: Bool) -> Int {
    var end = start
    while let byte = byte(end) {
      switch byte {
      case 0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"):
        return end
      case 0x09, 0x20, UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "}"),
        UInt8(ascii: "]"), UInt8(ascii: "\\"):
        if !isLine { return end }
      case UInt8(ascii: ",") where !isLine:
        let next = self.byte(end + 1)
        if next == nil || Self.isSpace(next) || next == UInt8(ascii: "\"") { return end }
      default: break
      }
      end += 1
    }
    return end
  }
}

// MARK: - Markup and URLs

extension SecretText {
  private mutating func openTag() {
    place += 1
    let end = bytes[place...].firstIndex { $0 <= 0x20 || "<>/=".utf8.contains($0) } ?? bytes.count
    tag = place < end ? place..<min(end, place + Self.longestName) : nil
    // Its attributes are pairs.
    place = end
  }

  /// Steps over what stands in an element of a secret's name.
  private mutating func closeTag() {
    let isEmpty = bytes[place - (place > 0 ? 1 : 0)] == UInt8(ascii: "/")
    place += 1
    guard let name = tag.take(), !isEmpty, !isWord(name), isSecret(Name(range: name)) else {
      return
    }
    var end = place
    while let byte = byte(end), byte != UInt8(ascii: "<") || self.byte(end + 1) != UInt8(ascii: "/")
    {
      end += 1
    }
    found(place..<end)
  }

  /// Steps over `//`, and over the user info behind it.
  private mutating func readAuthority() {
    place += 2
    var (end, at) = (place, nil as Int?)
    while let byte = byte(end), Self.isAuthority(byte) {
      if byte == UInt8(ascii: "@") { at = end }
      end += 1
    }
    if let at { found(place..<at) }
  }

  private static func isAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\""),
      UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"):
      false
    default: true
    }
  }
}

extension String {
  /// The text without the escapes of JSON.
  fileprivate var withoutEscapes: String {
    guard utf8.contains(UInt8(ascii: "\\")) else { return self }
    var scalars = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", rest.first == "u", rest.count >= 5,
        let code = UInt32(String(rest.dropFirst().prefix(4)), radix: 16),
        let escaped = Unicode.Scalar(code)
      else {
        scalars.append(scalar)
        continue
      }
      scalars.append(escaped)
      rest = rest.dropFirst(5)
    }
    return String(scalars)
  }
}
