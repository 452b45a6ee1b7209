internal import Foundation
internal import ResourcePrimitives

/// Finds the elements of one array in a document. Everything else is checked and forgotten.
struct ElementScanner: PieceScanner {
  var indexer: Indexer
  var batch = Batch()
  private let path: [PathKey]
  private let settings: JSONSettings
  /// The most bytes of an element, and of a token elsewhere.
  private let limit: Int
  /// The containers on the path that are open, the array included.
  private var outer: [Outer] = []
  private var state = State.value
  /// The offset of the element that is being read.
  private var start = 0

  /// A container on the path.
  private struct Outer {
    let isObject: Bool
    let position: JSONPosition
    /// The key to the value that is being read.
    var key: JSONKey?
    /// The number of its values so far.
    var count = 0
    /// Whether the value on the path was in it.
    var isFound = false
  }

  private enum State {
    /// A value on the path is next.
    case value
    /// A value on the path is being read that can't hold the array.
    case wrong
    /// The first value of a container on the path is next, or its end.
    case first
    /// A name is next.
    case name
    case openName
    case colon(isOnPath: Bool)
    /// An element is next, or a value of an array on the path.
    case item
    case element
    /// A value that isn't on the path is being read.
    case other
    case follower
    case end
  }

  init(_ text: JSONText, at path: [PathKey], _ settings: JSONSettings, limit: Int) {
    indexer = Indexer(text)
    self.path = path
    self.settings = settings
    self.limit = limit
  }
}

extension ElementScanner {
  mutating func scan(
    _ text: JSONText, _ origin: TextOrigin, isLast: Bool
  ) throws -> ScanEvent {
    indexer.text = text
    while true {
      switch state {
      case .element, .other, .wrong:
        guard try indexer.advance(isLast: isLast) else { return try needMore() }
        try completeValue(origin)
        continue
      case .openName:
        guard let name = try indexer.advanceString(isLast: isLast) else { return try needMore() }
        state = .colon(isOnPath: isOnPath(name))
        continue
      case .value, .first, .name, .colon, .item, .follower, .end: indexer.skipSpace()
      }
      guard indexer.offset < text.count else {
        guard isLast else { return try needMore() }
        if case .end = state { return .end }
        throw JSONScanError("the text ends too early", at: indexer.offset)
      }
      if try step(text[indexer.offset], origin) { return .full }
    }
  }

  /// Reads the next byte.
  ///
  /// - Returns: Whether the array ends with it.
  private mutating func step(_ byte: UInt8, _ origin: TextOrigin) throws -> Bool {
    switch state {
    case .value: try open(byte, origin)
    case .first where byte == closing: return try close()
    case .first: state = isInObject ? .name : .item
    case .name:
      guard byte == UInt8(ascii: "\"") else {
        throw mistake(
          byte == closing ? "a comma has no member behind it" : "a name in quotes is expected")
      }
      let start = indexer.offset + 1
      indexer.stop = .string(Indexer.OpenString(from: start, to: start, isName: true))
      state = .openName
    case .colon(let isOnPath):
      guard byte == UInt8(ascii: ":") else { throw mistake("“:” is expected behind a name") }
      indexer.offset += 1
      begin(isOnPath: isOnPath)
    case .item:
      guard byte != closing else { throw mistake("a comma has no value behind it") }
      beginItem()
    case .follower where byte == UInt8(ascii: ","):
      indexer.offset += 1
      state = isInObject ? .name : .item
    case .follower where byte == closing: return try close()
    case .follower: throw mistake("“,” or “\(isInObject ? "}" : "]")” is expected")
    case .end: throw mistake("there is more behind the value")
    case .element, .other, .wrong, .openName: break
    }
    return false
  }

  private func mistake(_ reason: String) -> JSONScanError {
    JSONScanError(reason, at: indexer.offset)
  }

  private var isInObject: Bool { outer.last?.isObject == true }

  private var closing: UInt8 { isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

  /// Whether the innermost container on the path is the array.
  private var isInArray: Bool { outer.count == path.count + 1 }
}

extension ElementScanner {
  /// Opens a container on the path.
  private mutating func open(_ byte: UInt8, _ origin: TextOrigin) throws {
    let isTarget = outer.count == path.count
    let isObject = byte == UInt8(ascii: "{") && !isTarget
    let mayBeArray = isTarget || path[outer.count].intValue != nil
    guard isObject || byte == UInt8(ascii: "[") && mayBeArray else {
      indexer.begin(at: outer.count)
      state = .wrong
      // Of a container only the kind counts.
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        let kind = byte == UInt8(ascii: "{") ? IndexWord.Kind.object : .array
        indexer.append(IndexWord(kind, at: indexer.offset).bits)
        indexer.append(Indexer.pair(indexer.words.count + 1, 0))
        throw mismatch(origin)
      }
      return
    }
    let position = origin.position(of: indexer.offset, in: indexer.text)
    outer.append(Outer(isObject: isObject, position: position))
    indexer.offset += 1
    state = .first
  }

  /// Ends a container on the path.
  ///
  /// - Returns: Whether it was the array.
  private mutating func close() throws -> Bool {
    let wasArray = isInArray
    if let last = outer.last, !wasArray, !last.isFound { throw missing(in: last) }
    indexer.offset += 1
    outer.removeLast()
    endValue()
    return wasArray
  }

  private mutating func endValue() {
    guard !outer.isEmpty else {
      state = .end
      return
    }
    outer[outer.count - 1].count += 1
    state = .follower
  }

  private mutating func begin(isOnPath: Bool) {
    if isOnPath {
      outer[outer.count - 1].isFound = true
      state = .value
    } else {
      indexer.begin(at: outer.count)
      state = .other
    }
  }

  private mutating func beginItem() {
    guard !isInArray else {
      indexer.begin(at: outer.count)
      start = indexer.offset
      state = .element
      return
    }
    let position = outer.last?.count ?? 0
    let isOnPath = path[outer.count - 1].intValue == position
    if isOnPath { outer[outer.count - 1].key = .position(position) }
    begin(isOnPath: isOnPath)
  }

  private mutating func completeValue(_ origin: TextOrigin) throws {
    switch state {
    case .element:
      guard indexer.offset - start <= limit else { throw OversizeScan(offset: start) }
      batch.append(upTo: indexer.words.count, start..<indexer.offset)
    case .wrong: throw mismatch(origin)
    default: indexer.words.removeAll(keepingCapacity: true)
    }
    endValue()
  }

  /// Returns whether a member is on the path. Of several members with one name the first counts.
  private mutating func isOnPath(_ word: IndexWord) -> Bool {
    guard let last = outer.last, !last.isFound else { return false }
    let text = indexer.text
    let string =
      word.kind == .escaped
      ? text.unescaped(at: word.offset, word.length)
      : text.string(at: word.offset, word.length, isASCII: word.kind == .ascii)
    var name = settings.converted(string)
    if case .custom(let convert) = settings.keys {
      name = convert(outerPath + [JSONKey.name(string)]).stringValue
    }
    guard name == path[outer.count - 1].stringValue else { return false }
    outer[outer.count - 1].key = .name(name)
    return true
  }
}

extension ElementScanner {
  var outerPath: [any CodingKey] { outer.compactMap(\.key) }

  var needed: Int {
    if case .element = state { start } else { indexer.needed }
  }

  private func needMore() throws -> ScanEvent {
    guard indexer.text.count - needed <= limit else { throw OversizeScan(offset: needed) }
    return .needsMore
  }

  mutating func drop(_ bytes: Int) {
    switch state {
    case .element where batch.words > 1 || bytes > 0: indexer.drop(before: batch.words, bytes)
    case .element: break
    case .other where indexer.words.count > Self.wordLimit: indexer.dropAll(bytes)
    case .other, .wrong: indexer.move(bytes)
    default:
      indexer.words.removeAll(keepingCapacity: true)
      indexer.move(bytes)
    }
    start -= bytes
    batch.restart()
  }

  /// The number of words of a value off the path above which they are dropped.
  private static var wordLimit: Int { 4096 }

  mutating func recover() -> Bool { false }
}

extension ElementScanner {
  /// The error for a container that ends without the value on the path.
  private func missing(in container: Outer) -> DecodingError {
    let key = path[outer.count - 1]
    let description =
      container.isObject
      ? "No value associated with key \(key) (\"\(key.stringValue)\")."
      : "The array has no element \(key.stringValue)."
    return .keyNotFound(
      key,
      DecodingError.Context(
        codingPath: outerPath, debugDescription: description,
        underlyingError: container.position))
  }

  /// The error for a value on the path that can't hold the array.
  private func mismatch(_ origin: TextOrigin) -> any Error {
    let document = JSONDocument(
      indexer.text, indexer.words, settings, origin, outerPath: outerPath)
    let decoder = JSONValueDecoder(JSONContainer(holding: document), at: JSONDocument.root)
    do {
      if outer.count == path.count {
        _ = try decoder.unkeyedContainer()
      } else {
        _ = try decoder.container(keyedBy: JSONKey.self)
      }
    } catch let error as DecodingError {
      return error.located(in: document, outer: outer.count)
    } catch {
      return error
    }
    return JSONScanError("a value is expected", at: indexer.offset)
  }
}
