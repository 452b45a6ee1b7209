/// Reading a text that arrives in pieces.
extension Indexer {
  /// The token at which a text ended, and from which reading goes on.
  enum Stop {
    /// A value is next.
    case value
    /// The digits of a number, which begins at the indexer's offset, have been read so far.
    case number(read: Int)
    case string(OpenString)
    /// The name of a member is next.
    case name
    /// The colon behind a name is next.
    case colon
    /// A comma, or the end of the container, is next.
    case follower
  }

  /// A string that has been read up to some byte.
  struct OpenString {
    var start: Int
    var end: Int
    var kind = IndexWord.Kind.ascii
    let isName: Bool

    init(from start: Int, to end: Int, isName: Bool) {
      (self.start, self.end, self.isName) = (start, end, isName)
    }

    func read(to end: Int, _ kind: IndexWord.Kind) -> OpenString {
      var string = self
      (string.end, string.kind) = (end, kind)
      return string
    }
  }

  /// The longest token of which the end decides what its beginning is: two escapes of a surrogate
  /// pair.
  private static let longestEscape = 12

  /// Begins to read a value, behind those that are listed already.
  ///
  /// - Parameter depth: The number of containers around it.
  mutating func begin(at depth: Int) {
    (self.depth, floor) = (depth, depth)
    (container, count, isObject) = (0, 0, false)
    stop = .value
    if words.isEmpty { append(IndexWord(.null, at: 0).bits) }
  }

  /// Reads on in a string.
  ///
  /// - Returns: Its word; `nil` if more text is needed.
  mutating func advanceString(isLast: Bool) throws(JSONScanError) -> IndexWord? {
    guard case .string(let string) = stop else { return nil }
    do throws(JSONScanError) {
      return IndexWord(bits: try unusualString(string))
    } catch {
      guard !isLast, mayPass(error) else { throw error }
      return nil
    }
  }

  /// Reads on from where the text ended.
  ///
  /// A mistake near the end of the text may be found only when a few more bytes are there, or the
  /// end.
  ///
  /// - Parameter isLast: Whether no more text follows.
  /// - Returns: Whether the value is complete; otherwise more text is needed.
  mutating func advance(isLast: Bool) throws(JSONScanError) -> Bool {
    do throws(JSONScanError) {
      try resume(isLast: isLast)
    } catch {
      guard !isLast, mayPass(error) else { throw error }
      if case .follower = stop { reopenNumber() }
      return false
    }
    return isLast || !reopenNumber()
  }

  private mutating func resume(isLast: Bool) throws(JSONScanError) {
    let stop = stop
    self.stop = .value
    switch stop {
    case .value:
      skipSpace()
      if endsEmpty(isObject: false) { guard try isFollowed() else { return } }
    case .number(let read):
      try skipNumber(from: read, isLast: isLast)
      append(try number())
      guard try isFollowed() else { return }
    case .string(let string):
      append(try unusualString(string))
      if string.isName { try colon() } else { guard try isFollowed() else { return } }
    case .name:
      skipSpace()
      if endsEmpty(isObject: true) {
        guard try isFollowed() else { return }
      } else {
        try name()
      }
    case .colon: try colon()
    case .follower: guard try isFollowed() else { return }
    }
    try read()
  }

  /// Ends the innermost container if nothing is in it.
  private mutating func endsEmpty(isObject: Bool) -> Bool {
    guard depth > floor, count == 0, self.isObject == isObject,
      text[offset] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    else { return false }
    end()
    return true
  }

  /// Looks for the end of a number, which is read as a whole then.
  private mutating func skipNumber(from start: Int, isLast: Bool) throws(JSONScanError) {
    var end = start
    while Self.isInNumber(text[end]) { end &+= 1 }
    guard end >= text.count, !isLast else { return }
    stop = .number(read: end)
    throw JSONScanError("the text ends too early", at: end)
  }

  private static func isInNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// Takes back the last value if it is a number that may go on in the next piece.
  @discardableResult
  private mutating func reopenNumber() -> Bool {
    guard offset == text.count, text[offset &- 1] &- UInt8(ascii: "0") < 10,
      let number = words.popLast()
    else { return false }
    offset = IndexWord(bits: number).offset
    stop = .number(read: text.count)
    return true
  }

  /// Whether more text might make a mistake none.
  private func mayPass(_ error: JSONScanError) -> Bool {
    switch stop {
    case .value: error.offset == offset && beginsWord
    case .string(let string):
      text.count - string.end < Self.longestEscape
        && (error.offset == string.end || error.offset == string.start - 1)
    case .number, .name, .colon, .follower: error.offset >= text.count
    }
  }

  /// Whether the rest of the text is the beginning of `null`, `true` or `false`, or nothing.
  private var beginsWord: Bool {
    guard text.count - offset < 5 else { return false }
    let rest = (offset..<max(offset, text.count)).map { text[$0] }
    return ["null", "true", "false"].contains { $0.utf8.starts(with: rest) }
  }
}

extension Indexer {
  /// Lists what follows a word only, in a text without its first bytes.
  ///
  /// - Parameters:
  ///   - first: The word of a value that is complete or open; the values before it are dropped.
  ///   - bytes: The number of bytes that are dropped.
  mutating func drop(before first: Int, _ bytes: Int) {
    let distance = first - 1
    var open = openContainers[...]
    var kept = [IndexWord(.null, at: 0).bits]
    kept.reserveCapacity(words.count - distance)
    var word = first
    while word < words.count {
      kept.append(words[word] &- UInt64(bytes))
      if IndexWord(bits: words[word]).isContainer {
        let isOpen = open.first == word
        if isOpen { open.removeFirst() }
        let other = words[word + 1]
        // An open container has the word of the one around it, which may be none.
        let isOutermost = isOpen && other & 0xFFFF_FFFF == 0
        kept.append(isOutermost ? other : other &- UInt64(distance))
        word += 1
      }
      word += 1
    }
    words = kept
    room = words.count
    if container != 0 { container -= distance }
    move(bytes)
  }

  /// Lists the open containers only, in a text without its first bytes. Their offsets are lost.
  mutating func dropAll(_ bytes: Int) {
    var kept = [IndexWord(.null, at: 0).bits]
    var outer = 0
    for open in openContainers {
      let count = words[open + 1] >> 32
      kept.append(IndexWord(IndexWord(bits: words[open]).kind, at: 0).bits)
      kept.append(UInt64(outer) | count << 32)
      outer = kept.count - 2
    }
    container = outer
    words = kept
    room = words.count
    move(bytes)
  }

  /// The words of the open containers, from the outermost.
  var openContainers: [Int] {
    var open: [Int] = []
    var word = container
    while word != 0 {
      open.append(word)
      word = Int(truncatingIfNeeded: words[word + 1] & 0xFFFF_FFFF)
    }
    return open.reversed()
  }

  /// Moves to a text without its first bytes.
  mutating func move(_ bytes: Int) {
    offset -= bytes
    switch stop {
    case .number(let read): stop = .number(read: read - bytes)
    case .string(var string):
      string.start -= bytes
      string.end -= bytes
      stop = .string(string)
    case .value, .name, .colon, .follower: break
    }
  }

  /// The offset of the first byte that the rest of the text needs to be read.
  var needed: Int {
    if case .string(let string) = stop { string.start - 1 } else { offset }
  }
}
