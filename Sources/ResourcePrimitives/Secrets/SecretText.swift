/// Finds secrets in any text: values under the names of secrets, in members of JSON, in forms,
/// queries and parameters, in elements and attributes of XML and HTML, in parts of multipart bodies
/// and in lines such as `Authorization: …`; user info of URLs; texts whose form gives them away,
/// such as keys and tokens; and secrets that are known. It looks behind escapes as well.
///
/// This is the only place that knows these syntaxes: errors and logs replace what it finds by one
/// text, recordings by numbered ones. It takes time in proportion to the bytes. The syntax needn't
/// be valid, because texts may be cut, and servers send anything.
package struct SecretText: Sendable {
  /// A piece of the text that is replaced.
  package struct Finding: Equatable, Sendable {
    package var range: Range<Int>
    /// The quotes to add on both sides, for a value of JSON without quotes; empty for none.
    package var quote: [UInt8] = []
    /// The known secret that was found; `nil` for any other.
    package var known: String?
    /// The place of the quote to add, in the layer in which this was found.
    var quotePlace: Int?
  }

  package struct Rules: Sendable {
    /// Additional names of secrets: ``Request/Options/secretNames``.
    package var names: Set<String>?
    /// Names that look like those of secrets but aren't.
    package var publicNames: Set<String> = []
    /// Secrets wherever they occur.
    package var known = KnownSecrets([])
    /// Whether each value in a secret list or object is found on its own, so that its structure
    /// stays.
    package var entersStructures = false

    /// Whether a name must be that of a credential for certain
    /// (``Secrets/isCredential(name:or:)``).
    package var guessesNames = true

    package init(names: Set<String>? = nil) { self.names = names }

    func isSecret(_ name: String) -> Bool {
      let isSecret =
        guessesNames
        ? Secrets.isSecret(name: name, or: names) : Secrets.isCredential(name: name, or: names)
      return isSecret && !publicNames.contains(name)
    }
  }

  let bytes: [UInt8]
  let rules: Rules
  private(set) var findings: [Finding] = []
  var place = 0
  /// The places after the second last quote, and after the last one.
  private var quotes = (first: 0, second: 0)
  /// The XML tag that the place is in.
  var tag: Tag?
  /// What is known of the objects around the place, the innermost last; the first is the text
  /// itself.
  var scopes = [Scope()]
  /// The number of objects around the place.
  var depth = 0
  /// Whether the last element of XML was the name of a secret.
  var isBehindNameElement = false
  /// The ends of the last values without quotes: of a line, and of any other.
  private var bareEnds = (line: 0..<0, other: 0..<0)

  /// Longer names are judged by their ends.
  static let longestName = 256

  private init(_ bytes: [UInt8], _ rules: Rules) {
    self.bytes = bytes
    self.rules = rules
  }
}

extension SecretText {
  /// Returns a text with the secrets in it replaced.
  package static func redact(_ text: String, names: Set<String>? = nil) -> String {
    redact(text, by: Rules(names: names))
  }

  package static func redact(_ text: String, by rules: Rules) -> String {
    let bytes = Array(text.utf8)
    let findings = findings(in: bytes, by: rules)
    guard !findings.isEmpty else { return text }
    return String(decoding: redact(bytes[...], findings), as: UTF8.self)
  }

  /// Returns a piece of a text with what was found in it replaced; a finding counts if it begins
  /// there.
  package static func redact(_ piece: ArraySlice<UInt8>, _ findings: [Finding]) -> [UInt8] {
    replace(findings, in: piece) { $0.quote + Secrets.replacement.utf8 + $0.quote }
  }

  /// Returns a piece of a text with each finding that begins there replaced by what a closure
  /// returns.
  package static func replace(
    _ findings: [Finding], in piece: ArraySlice<UInt8>, by replacement: (Finding) -> [UInt8]
  ) -> [UInt8] {
    var replaced: [UInt8] = []
    var copied = piece.startIndex
    for finding in findings where piece.indices.contains(finding.range.lowerBound) {
      replaced += piece[copied..<finding.range.lowerBound]
      replaced += replacement(finding)
      copied = min(finding.range.upperBound, piece.endIndex)
    }
    return replaced + piece[copied...]
  }

  /// Returns whether a text contains a credential, by a name that is always that of one or by its
  /// form.
  package static func holdsCredential(_ text: String) -> Bool {
    var rules = Rules()
    rules.guessesNames = false
    return !findings(in: Array(text.utf8), by: rules).isEmpty
  }

  /// Returns where secrets are, in order and apart from each other. Names and forms count only if
  /// `isText`; otherwise only known secrets do.
  package static func findings(
    in bytes: [UInt8], by rules: Rules = Rules(), isText: Bool = true
  ) -> [Finding] {
    var found: [Finding] = []
    SourceText(bytes).forEachLayer { layer in
      var inLayer = rules.known.findings(in: layer.bytes)
      if isText { inLayer += findings(inLayer: layer.bytes, by: rules) }
      found += inLayer.map { finding in
        var finding = finding
        finding.range = layer.origin(of: finding.range)
        if let place = finding.quotePlace {
          finding.quote = Array(bytes[layer.origin(of: place..<place + 1)])
        }
        return finding
      }
    }
    return found.apart
  }

  private static func findings(inLayer bytes: [UInt8], by rules: Rules) -> [Finding] {
    var text = SecretText(bytes, rules)
    while text.place < bytes.count { text.step() }
    text.endScopes()
    return text.findings
  }
}

extension [SecretText.Finding] {
  /// The findings in order, those that overlap as one: a replacement that ends within a secret
  /// would leave the rest of it.
  var apart: [SecretText.Finding] {
    guard count > 1 else { return self }
    let inOrder = sorted {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
    return inOrder.reduce(into: []) { $0.merge($1) }
  }

  /// Adds what doesn't begin before the end of the last one, or extends that.
  private mutating func merge(_ next: SecretText.Finding) {
    guard let last, next.range.lowerBound < last.range.upperBound else { return append(next) }
    if next.range == last.range {
      if last.quote.isEmpty { self[count - 1].quote = next.quote }
      self[count - 1].known = last.known ?? next.known
    } else if next.range.upperBound > last.range.upperBound {
      self[count - 1].range = last.range.lowerBound..<next.range.upperBound
      self[count - 1].known = nil
    }
  }
}

extension SecretText {
  func byte(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func step() {
    let byte = bytes[place]
    switch byte {
    case UInt8(ascii: ":"), UInt8(ascii: "="): readPair(byte)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      quotes = (quotes.second, place + 1)
      place += 1
    case UInt8(ascii: "<"): openTag()
    case UInt8(ascii: ">"): closeTag()
    case UInt8(ascii: "{"): openScope()
    case UInt8(ascii: "}"): closeScope()
    case UInt8(ascii: "\r"): readPart()
    case UInt8(ascii: "/") where self.byte(place + 1) == byte: readAuthority()
    default:
      if let token = SecretShape.range(at: place, in: bytes) { found(token) } else { place += 1 }
    }
  }

  /// Notes a secret, and steps over it.
  mutating func found(_ range: Range<Int>, quote: Int? = nil) {
    if !range.isEmpty { findings.append(Finding(range: range, quotePlace: quote)) }
    place = max(place, range.upperBound)
  }

  /// Notes a secret that was stepped over.
  mutating func noteEarlier(_ range: Range<Int>) {
    if !range.isEmpty { findings.append(Finding(range: range)) }
  }

  static func isSpace(_ byte: UInt8?) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  static func isQuote(_ byte: UInt8?) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  /// The bytes that end a name without quotes. Brackets, dots and escapes are parts of names in
  /// forms.
  private static let delimiters: [Bool] = {
    var table = [Bool](repeating: false, count: 256)
    for byte in 0...0x20 { table[byte] = true }
    for byte in "\"'&:;,?#<>{}()=|/`\\".utf8 { table[Int(byte)] = true }
    return table
  }()
}

extension SecretText {
  /// A name and its properties.
  struct Name {
    var range: Range<Int>
    /// The place of the second quote of a quoted name.
    var quote: Int?
    var isQuoted: Bool { quote != nil }
  }

  /// Steps over a `:` or `=`, and over the value after it if that is a secret.
  private mutating func readPair(_ separator: UInt8) {
    let name = nameBeforePlace
    let isLine = separator == UInt8(ascii: ":") && !name.isQuoted
    place += 1
    guard !isLine || Self.isSpace(byte(place)) || Self.isQuote(byte(place)) else { return }
    if readKey(name, isLine) { return }
    if isSecret(name.range), !isLine || !isWord(name.range) {
      if let value = value(of: name, isLine) { read(value) }
    } else {
      readNaming(name, isLine)
    }
  }

  private var nameBeforePlace: Name {
    var end = place
    while end > 0, place - end < 64, Self.isSpace(bytes[end - 1]) { end -= 1 }
    if end > 0, Self.isQuote(bytes[end - 1]) {
      return Name(range: quotedName(end - 1), quote: end - 1)
    }
    var start = end
    while start > 0, end - start < Self.longestName, !Self.delimiters[Int(bytes[start - 1])] {
      start -= 1
    }
    return Name(range: start..<end)
  }

  /// Returns the text between the quotes of which the second is at a place. An escaped one counts
  /// only in the next layer.
  private func quotedName(_ closing: Int) -> Range<Int> {
    guard quotes.second == closing + 1, quotes.first < closing,
      bytes[closing - 1] != UInt8(ascii: "\\")
    else { return closing..<closing }
    return max(quotes.first, closing - Self.longestName)..<closing
  }

  /// Whether a name is a word that is seldom followed by a secret in people's texts or errors.
  func isWord(_ name: Range<Int>) -> Bool {
    ["code", "key"].contains { Secrets.folded(bytes[name]).elementsEqual($0.utf8) }
  }

  func isSecret(_ name: Range<Int>) -> Bool {
    rules.isSecret(String(decoding: bytes[name], as: UTF8.self))
  }
}

extension SecretText {
  /// A value after a name.
  struct Value {
    var range: Range<Int>
    /// The place of a quote of the name, if the value has none of its own.
    var quote: Int?
    var isString = false
    var isStructure = false
  }

  /// Returns the value that begins at the place, possibly behind spaces.
  mutating func value(of name: Name, _ isLine: Bool) -> Value? {
    var start = place
    while Self.isSpace(byte(start)), bytes[start] != 0x0A || name.isQuoted { start += 1 }
    guard let first = byte(start) else { return nil }
    // An escaped quote is one in the next layer.
    guard first != UInt8(ascii: "\\") || !Self.isQuote(byte(start + 1)) else { return nil }
    if Self.isQuote(first) { return Value(range: rangeOfString(at: start), isString: true) }
    if name.isQuoted, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return Value(range: start..<start, quote: name.quote, isStructure: true)
    }
    return Value(range: rangeOfBareValue(at: start, isLine), quote: name.quote)
  }

  /// Steps over a secret value.
  mutating func read(_ value: Value) {
    guard !value.isStructure else { return readStructure(value.range.lowerBound, value.quote) }
    if value.isString {
      found(value.range)
      quotes = (place, place)
    } else if !isLiteral(value.range) {
      found(value.range, quote: value.quote)
    }
  }

  /// Whether a value without quotes is one that no secret has.
  private func isLiteral(_ value: Range<Int>) -> Bool {
    ["true", "false", "null"].contains { bytes[value].elementsEqual($0.utf8) }
  }

  /// Returns the content of a string, which GraphQL may have between three quotes.
  private func rangeOfString(at opening: Int) -> Range<Int> {
    let quote = bytes[opening]
    let isBlock = byte(opening + 1) == quote && byte(opening + 2) == quote
    let start = opening + (isBlock ? 3 : 1)
    var end = start
    while let byte = byte(end) {
      if byte == quote, !isBlock || self.byte(end + 1) == quote && self.byte(end + 2) == quote {
        break
      }
      end += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    return start..<max(start, min(end, bytes.count))
  }

  /// Steps over an object or a list, as a whole or over each value in it.
  private mutating func readStructure(_ start: Int, _ quote: Int?) {
    var depth = 0
    place = start
    while let byte = byte(place) {
      switch byte {
      case UInt8(ascii: "\""): readElement(rangeOfString(at: place))
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0...0x20: break
      default: readElement(place..<endOfElement, quote)
      }
      place += 1
      if depth == 0 { break }
    }
    place = min(place, bytes.count)
    guard !rules.entersStructures else { return }
    found(start..<place, quote: quote)
  }

  /// Steps to the last byte of a string, or of a value without quotes.
  private mutating func readElement(_ range: Range<Int>, _ quote: Int? = nil) {
    let isString = quote == nil
    place = isString ? range.upperBound : range.upperBound - 1
    guard rules.entersStructures, !range.isEmpty, isString || !isLiteral(range) else { return }
    let next = bytes[min(range.upperBound + 1, bytes.count)...].first { !Self.isSpace($0) }
    // Names of members stay if they are words.
    if isString, next == UInt8(ascii: ":"), bytes[range].isWord { return }
    findings.append(Finding(range: range, quotePlace: quote))
  }

  private var endOfElement: Int {
    bytes[place...].firstIndex { "{}[]:,\"".utf8.contains($0) || $0 <= 0x20 } ?? bytes.count
  }

  /// Returns a value without quotes. Values that begin in each other have the same end, which is
  /// found once.
  private mutating func rangeOfBareValue(at start: Int, _ isLine: Bool) -> Range<Int> {
    let last = isLine ? bareEnds.line : bareEnds.other
    guard !last.contains(start) else { return start..<last.upperBound }
    let range = start..<endOfBareValue(from: start, isLine)
    if isLine { bareEnds.line = range } else { bareEnds.other = range }
    return range
  }

  /// The end of a value without quotes; after the name of a line it is the end of the line.
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

extension Sequence<UInt8> {
  /// Whether the text is a plain word, which would also be found where it isn't a secret.
  package var isWord: Bool {
    var count = 0
    for byte in self {
      count += 1
      guard count <= 16, byte.isASCIILetter || "_-".utf8.contains(byte) else { return false }
    }
    return true
  }
}

extension SecretText {
  /// Steps over `//`, and over the user info after it.
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
