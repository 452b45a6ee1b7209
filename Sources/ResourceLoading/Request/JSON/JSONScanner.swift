import Foundation

/// Why a text isn't JSON, and where.
package struct JSONMistake: Error, Hashable {
  /// What is wrong, as the end of a sentence.
  package let reason: String
  /// In bytes from the start of the text.
  package let offset: Int
}

/// Steps over JSON text, strictly by RFC 8259, without building anything.
///
/// It looks at each byte once, and its stack is an array: no document can exhaust the thread's.
struct JSONScanner {
  let bytes: [UInt8]
  /// Where it stands, as an offset in bytes.
  var offset = 0

  /// - Parameter bytes: UTF-8. A byte order mark is passed over (section 8.1).
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The byte it stands at, `nil` at the end.
  var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Steps over a byte, whatever it is.
  mutating func advance() { if offset < bytes.count { offset += 1 } }

  mutating func skipSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  /// Steps over a byte if it is the next one after white space.
  mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard current == byte else { return false }
    offset += 1
    return true
  }

  func mistake(_ reason: String) -> JSONMistake {
    JSONMistake(reason: current == nil ? "the text ends too early" : reason, offset: offset)
  }
}

extension JSONScanner {
  /// What a value consists of. Texts and numbers are ranges of the bytes.
  enum Part {
    case null
    case bool(Bool)
    case number(Range<Int>)
    case string(Range<Int>)
    case name(Range<Int>)
    case start(isObject: Bool)
    case end(isObject: Bool)
  }

  /// Steps over one value and tells its parts, in order.
  ///
  /// - Throws: The first mistake, also for what nests deeper than `depthLimit`; what `tell` throws.
  mutating func value(
    depthLimit: Int = .max, _ tell: (Part) throws(JSONMistake) -> Void = { _ in }
  ) throws(JSONMistake) {
    var closers: [UInt8] = []
    repeat {
      if let closer = start() {
        guard closers.count < depthLimit else {
          throw JSONMistake(
            reason: "values nest deeper than \(depthLimit) levels", offset: offset - 1)
        }
        try tell(.start(isObject: closer == .closingBrace))
        closers.append(closer)
        if !skip(closer) {
          if closer == .closingBrace { try name(tell) }
          continue
        }
        closers.removeLast()
        try tell(.end(isObject: closer == .closingBrace))
      } else {
        try tell(scalar())
      }
      try ends(&closers, tell)
    } while !closers.isEmpty
  }

  /// Steps over white space to the end of the text.
  ///
  /// - Throws: A mistake if there is anything else.
  mutating func end() throws(JSONMistake) {
    skipSpace()
    if current != nil { throw mistake("there is more behind the value") }
  }

  /// Steps over a name and the colon behind it.
  mutating func name(_ tell: (Part) throws(JSONMistake) -> Void) throws(JSONMistake) {
    skipSpace()
    guard current == .quote else { throw mistake("a name in quotes is expected") }
    try tell(.name(string()))
    guard skip(UInt8(ascii: ":")) else { throw mistake("“:” is expected") }
  }

  /// Steps into an object or array and returns what closes it.
  private mutating func start() -> UInt8? {
    if skip(UInt8(ascii: "{")) { return .closingBrace }
    return skip(UInt8(ascii: "[")) ? .closingBracket : nil
  }

  /// Steps over what follows a value: closers, and the comma before the next value with its name.
  private mutating func ends(
    _ closers: inout [UInt8], _ tell: (Part) throws(JSONMistake) -> Void
  ) throws(JSONMistake) {
    while let closer = closers.last {
      let isObject = closer == .closingBrace
      if skip(UInt8(ascii: ",")) {
        if isObject { try name(tell) }
        return
      }
      guard skip(closer) else {
        throw mistake("“,” or “\(isObject ? "}" : "]")” is expected")
      }
      closers.removeLast()
      try tell(.end(isObject: isObject))
    }
  }

  private mutating func scalar() throws(JSONMistake) -> Part {
    guard let byte = current else { throw mistake("") }
    switch byte {
    case .quote: return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default: break
    }
    if skipWord("null") { return .null }
    if skipWord("true") { return .bool(true) }
    if skipWord("false") { return .bool(false) }
    throw mistake("a value is expected")
  }

  private mutating func skipWord(_ word: String) -> Bool {
    guard bytes[offset...].starts(with: word.utf8) else { return false }
    let end = offset + word.utf8.count
    guard end == bytes.count || !bytes[end].isWordByte else { return false }
    offset = end
    return true
  }
}

extension JSONScanner {
  /// Steps over a number (section 6).
  ///
  /// - Throws: A mistake at its start; for one that no `Double` is near, too.
  private mutating func number() throws(JSONMistake) -> Range<Int> {
    let start = offset
    _ = take(UInt8(ascii: "-"))
    let hasLeadingZero = current == UInt8(ascii: "0")
    let digits = skipDigits()
    var isNumber = digits == 1 || (digits > 1 && !hasLeadingZero)
    if take(UInt8(ascii: ".")) { isNumber = skipDigits() > 0 && isNumber }
    let hasExponent = take(UInt8(ascii: "e")) || take(UInt8(ascii: "E"))
    if hasExponent {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      isNumber = skipDigits() > 0 && isNumber
    }
    let range = start..<offset
    if isNumber, current?.isWordByte != true {
      guard hasExponent || range.count > 300, double(range) == nil else { return range }
      throw JSONMistake(reason: "a number is out of range", offset: start)
    }
    let reason = digits > 1 && hasLeadingZero ? "a number has a leading zero" : "a number is broken"
    throw JSONMistake(reason: reason, offset: start)
  }

  /// The number that a range has; `nil` if it is out of range.
  func double(_ range: Range<Int>) -> Double? {
    Double(String(decoding: bytes[range], as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    offset += 1
    return true
  }

  private mutating func skipDigits() -> Int {
    let start = offset
    while let byte = current, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { offset += 1 }
    return offset - start
  }
}

extension UInt8 {
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let closingBrace = UInt8(ascii: "}")
  fileprivate static let closingBracket = UInt8(ascii: "]")

  /// Whether a number or a word that this byte follows isn't over.
  fileprivate var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), 0x80...:
      true
    default: false
    }
  }
}

/// Finds the place in a JSON document that a `DecodingError` speaks of.
struct JSONLocator {
  private let bytes: [UInt8]

  /// - Parameter body: The document; only UTF-8 can be searched.
  init?(_ body: Data) {
    guard !body.prefix(4).contains(0), !body.starts(with: [0xFF, 0xFE]) else { return nil }
    bytes = Array(body)
  }

  /// The first mistake in the text, `nil` if there is none.
  var mistake: JSONMistake? {
    var scanner = start
    do throws(JSONMistake) {
      try scanner.value()
      try scanner.end()
      return nil
    } catch {
      return error
    }
  }

  /// The offset of the value at a path in bytes, or of the deepest container on the way that there is.
  func offset(of path: [any CodingKey]) -> Int {
    var scanner = start
    for key in path {
      let here = scanner
      guard step(into: key, &scanner) else { return here.offset }
      scanner.skipSpace()
    }
    return scanner.offset
  }

  private var start: JSONScanner {
    var scanner = JSONScanner(bytes)
    scanner.skipSpace()
    return scanner
  }

  /// The 1-based line and column (in characters) of an offset, and the text around it.
  func place(_ offset: Int) -> (line: Int, column: Int, snippet: String) {
    let before = bytes[..<min(offset, bytes.count)]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = before.count { $0 == 0x0A } + 1
    let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
    return (line, column, Snippet.around(offset, in: bytes))
  }
}

extension JSONLocator {
  private func step(into key: any CodingKey, _ scanner: inout JSONScanner) -> Bool {
    let isFound = try? step(intoObject: key, &scanner)
    return isFound ?? false
  }

  private func step(
    intoObject key: any CodingKey, _ scanner: inout JSONScanner
  ) throws(JSONMistake) -> Bool {
    guard scanner.skip(UInt8(ascii: "{")) else { return try step(intoArray: key, &scanner) }
    repeat {
      var name = 0..<0
      try scanner.name { part throws(JSONMistake) in
        if case .name(let range) = part { name = range }
      }
      if matches(scanner.text(name), key.stringValue) { return true }
      try scanner.value()
    } while scanner.skip(UInt8(ascii: ","))
    return false
  }

  private func step(
    intoArray key: any CodingKey, _ scanner: inout JSONScanner
  ) throws(JSONMistake) -> Bool {
    guard scanner.skip(UInt8(ascii: "[")) else { return false }
    for _ in 0..<(key.intValue ?? 0) {
      try scanner.value()
      guard scanner.skip(UInt8(ascii: ",")) else { return false }
    }
    return true
  }

  /// Whether a member's name is a coding key, as it stands or as a key strategy may have turned it.
  private func matches(_ text: String, _ name: String) -> Bool {
    text == name
      || text.filter { $0 != "_" }.lowercased() == name.filter { $0 != "_" }.lowercased()
  }
}
