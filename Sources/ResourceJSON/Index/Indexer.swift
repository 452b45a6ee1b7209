/// Reads a document once, checks all of it, and lists its values in the order of the text.
///
/// No function is recursive: while a container is open, its second word holds the word of the
/// container around it and the number of values of that one so far. The grammar is that of RFC
/// 8259.
///
/// A text that arrives in pieces is read by the same functions. Where it ends too early, they leave
/// the open token in ``stop``, and ``resume()`` goes on from there (`Indexer+Resuming.swift`).
struct Indexer {
  var text: JSONText
  var offset: Int
  var words: [UInt64] = []
  /// The number of words at which the list has to grow.
  var room = 0
  /// The number of open containers.
  var depth = 0
  /// The number of open containers around the value that is being read: 0 for a document.
  var floor = 0
  /// The word of the innermost container, the number of its values so far, and whether it is an
  /// object.
  var container = 0
  var count = 0
  var isObject = false
  /// The token at which the text ended.
  var stop = Stop.value

  /// The deepest that values may nest, as in `JSONDecoder`.
  static let depthLimit = 512

  /// The largest document in bytes: offsets have 32 bits.
  static let maximumSize = Int(clamping: UInt32.max)

  init(_ text: JSONText) {
    self.text = text
    // A byte order mark may precede the text.
    offset = text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 3 : 0
  }

  /// Lists the values of a document. The first word is a `null` for missing values; the root
  /// follows.
  static func index(_ text: JSONText) throws(JSONScanError) -> [UInt64] {
    guard text.count <= maximumSize else {
      throw JSONScanError("the document has more than \(maximumSize) bytes", at: 0)
    }
    var indexer = Indexer(text)
    indexer.append(IndexWord(.null, at: 0).bits)
    try indexer.read()
    indexer.skipSpace()
    guard indexer.offset == text.count else {
      throw JSONScanError("there is more behind the value", at: indexer.offset)
    }
    return indexer.words
  }
}

extension Indexer {
  /// Reads a value.
  mutating func read() throws(JSONScanError) {
    skipSpace()
    while true {
      let byte = text[offset]
      switch byte {
      case UInt8(ascii: "\""): append(try string(isName: false))
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if try begin(isObject: byte == UInt8(ascii: "{")) { continue }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): append(try number())
      default: append(try word())
      }
      guard try isFollowed() else { return }
    }
  }

  /// Opens a container.
  ///
  /// - Returns: Whether it has a value, which is next.
  private mutating func begin(isObject opensObject: Bool) throws(JSONScanError) -> Bool {
    guard depth < Self.depthLimit else {
      throw JSONScanError("values are nested deeper than \(Self.depthLimit)", at: offset)
    }
    depth &+= 1
    let outer = (container, count)
    container = words.count
    count = 0
    isObject = opensObject
    append(IndexWord(opensObject ? .object : .array, at: offset).bits)
    append(Self.pair(outer.0, outer.1))
    offset &+= 1
    skipSpace()
    if text[offset] == (opensObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      end()
      return false
    }
    if opensObject { try name() }
    return true
  }

  mutating func end() {
    offset &+= 1
    depth &-= 1
    let outer = words[container &+ 1]
    words[container &+ 1] = Self.pair(words.count, count)
    container = Int(truncatingIfNeeded: outer & 0xFFFF_FFFF)
    count = Int(truncatingIfNeeded: outer &>> 32)
    isObject = IndexWord(bits: words[container]).kind == .object
  }

  /// Returns the second word of a container: the number of another word, and the number of values.
  @inline(__always)
  static func pair(_ word: Int, _ count: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: word) | UInt64(truncatingIfNeeded: count) &<< 32
  }

  /// Reads what follows a value, and ends the containers that end there.
  ///
  /// - Returns: Whether another value is next.
  @inline(__always)
  mutating func isFollowed() throws(JSONScanError) -> Bool {
    while depth > floor {
      count &+= 1
      skipSpace()
      let byte = text[offset]
      if byte == UInt8(ascii: ",") {
        offset &+= 1
        skipSpace()
        if isObject { try name() }
        return true
      }
      guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
        throw missingComma()
      }
      end()
    }
    return false
  }

  /// Reads the name of a member, and the colon behind it.
  @inline(__always)
  mutating func name() throws(JSONScanError) {
    guard text[offset] == UInt8(ascii: "\"") else { throw missingName() }
    append(try string(isName: true))
    try colon()
  }

  /// Reads the colon behind a name.
  @inline(__always)
  mutating func colon() throws(JSONScanError) {
    skipSpace()
    guard text[offset] == UInt8(ascii: ":") else { throw missingColon() }
    offset &+= 1
    skipSpace()
  }

  /// Reads `null`, `true` or `false`.
  private mutating func word() throws(JSONScanError) -> UInt64 {
    let start = offset
    func has(_ word: StaticString) -> Bool {
      // The bytes of a literal are there forever, and are read by their own indices.
      word.withUTF8Buffer { word in
        word.indices.allSatisfy { unsafe text[start &+ $0] == word[$0] }
      }
    }
    if has("null") {
      offset &+= 4
      return IndexWord(.null, at: start).bits
    }
    if has("true") {
      offset &+= 4
      return IndexWord(.true, at: start).bits
    }
    if has("false") {
      offset &+= 5
      return IndexWord(.false, at: start).bits
    }
    throw missingValue()
  }

  @inline(__always)
  mutating func append(_ word: UInt64) {
    if words.count == room { grow() }
    words.append(word)
  }

  /// Makes room for as many words as the rest of the document will need if it is like what has been
  /// read.
  @inline(never)
  private mutating func grow() {
    let read = max(offset, 1)
    let estimate = Double(words.count) * Double(text.count) / Double(read) * 1.05
    let start = min(text.count / 8 + 16, 4096)
    room =
      words.isEmpty
      ? start
      : max(words.count + words.count / 4 + 16, min(Int(estimate), words.count + text.count))
    words.reserveCapacity(room)
  }
}

extension Indexer {
  /// Skips white space.
  @inline(__always)
  mutating func skipSpace() {
    guard text[offset] <= 0x20 else { return }
    skipMoreSpace()
  }

  private mutating func skipMoreSpace() {
    while true {
      switch text[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset &+= 1
      default: return
      }
      // Indentation.
      while let word = text.word(at: offset) {
        let others = word ^ 0x2020_2020_2020_2020
        offset &+= others.trailingZeroBitCount &>> 3
        guard others == 0 else { break }
      }
    }
  }

  func mistake(_ reason: String) -> JSONScanError {
    JSONScanError(offset < text.count ? reason : "the text ends too early", at: offset)
  }

  mutating func missingComma() -> JSONScanError {
    // The value is counted again when more text is there.
    if offset >= text.count { count &-= 1 }
    stop = .follower
    return mistake("“,” or “\(isObject ? "}" : "]")” is expected")
  }

  private mutating func missingName() -> JSONScanError {
    stop = .name
    if text[offset] == UInt8(ascii: "}") { return mistake("a comma has no member behind it") }
    return mistake("a name in quotes is expected")
  }

  private mutating func missingColon() -> JSONScanError {
    stop = .colon
    return mistake("“:” is expected behind a name")
  }

  private mutating func missingValue() -> JSONScanError {
    stop = .value
    if text[offset] == UInt8(ascii: "]"), depth > 0, !isObject, count > 0 {
      return mistake("a comma has no value behind it")
    }
    return mistake("a value is expected")
  }
}
