#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The bytes of a document in UTF-8.
///
/// This is the one file that reads memory by its address: `Span` can be kept neither in a class nor
/// in a decoder that its type passes on as `any Decoder`. Every read is checked against ``count``,
/// whatever the document says. Whole words are read by `loadUnaligned(as:)`, which is defined for
/// plain integers at any address; the rows `json-decode-…` of the benchmarks show what decoding
/// takes.
///
/// It is safe to use although it holds a pointer: no read leaves the bytes, and only ``init(_:)``,
/// which is unsafe, and ``JSONReader`` have to know how long they live. Where a decoder outlives
/// them, its document moves to a ``JSONTextCopy``.
@safe
struct JSONText {
  let count: Int
  private let start: UnsafePointer<UInt8>

  /// - Parameter bytes: They must stay where they are as long as this value is used; not empty.
  @unsafe
  init?(_ bytes: UnsafeRawBufferPointer) {
    // Bytes are of a trivial type, so that memory may be bound to them at any time.
    guard unsafe !bytes.isEmpty, let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
    else {
      return nil
    }
    unsafe self.start = start
    count = bytes.count
  }

  /// The first bytes of a text.
  private init(_ text: JSONText, count: Int) {
    unsafe start = text.start
    self.count = count
  }

  /// Returns the beginning of the text, which may be empty.
  func prefix(_ count: Int) -> JSONText { JSONText(self, count: max(0, min(count, self.count))) }
}

/// The same text with bytes of its own, which are freed with it. A document that uses the text
/// keeps this object beside it.
@safe
final class JSONTextCopy {
  let text: JSONText
  private let bytes: UnsafeMutableRawBufferPointer

  init(of source: JSONText) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
    unsafe source.withBytes(at: 0, source.count) {
      unsafe copy.copyMemory(from: UnsafeRawBufferPointer($0))
    }
    guard let text = unsafe JSONText(UnsafeRawBufferPointer(copy)) else {
      preconditionFailure("no bytes to copy")
    }
    unsafe bytes = copy
    self.text = text
  }

  deinit { unsafe bytes.deallocate() }
}

extension JSONText {
  /// The byte at an offset; behind the end 0, which JSON doesn't allow anywhere.
  @inline(__always)
  subscript(offset: Int) -> UInt8 {
    UInt(bitPattern: offset) < UInt(bitPattern: count) ? unsafe start[offset] : 0
  }

  /// Returns eight bytes, the first in the lowest bits; `nil` if there are fewer.
  @inline(__always)
  func word(at offset: Int) -> UInt64? {
    guard offset >= 0, offset <= count &- 8 else { return nil }
    return unsafe UInt64(
      littleEndian: UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self))
  }

  /// Calls a closure with the bytes of a range, which the closure mustn't keep.
  @unsafe
  @inline(__always)
  func withBytes<Result>(
    at offset: Int, _ length: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    precondition(offset >= 0 && length >= 0 && offset <= count - length, "outside the document")
    return unsafe try body(UnsafeBufferPointer(start: start + offset, count: length))
  }

  /// Returns the offset of a byte; `nil` if it isn't in a range.
  func offset(of byte: UInt8, in range: Range<Int>) -> Int? {
    unsafe withBytes(at: range.lowerBound, range.count) { bytes in
      guard let first = bytes.baseAddress,
        let found = unsafe memchr(first, Int32(byte), bytes.count)
      else { return nil }
      return unsafe range.lowerBound + (UnsafeRawPointer(found) - UnsafeRawPointer(first))
    }
  }

  /// Returns the text of a range that is known to be valid UTF-8.
  @inline(__always)
  func string(at offset: Int, _ length: Int, isASCII: Bool) -> String {
    unsafe withBytes(at: offset, length) { bytes in
      // Unchecked, because the index has validated the text. Validating each string again costs a
      // fifth of a document that isn't ASCII.
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return unsafe String(
          copying: UTF8Span(unchecked: bytes.span, isKnownASCII: isASCII))
      }
      return unsafe String(decoding: bytes, as: UTF8.self)
    }
  }
}

extension JSONText {
  /// Returns the text of a string with escapes, which are known to be valid.
  func unescaped(at offset: Int, _ length: Int) -> String {
    unsafe withBytes(at: offset, length) { source in
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { target in
        var count = 0
        var position = 0
        while position < source.count {
          let rest = unsafe UnsafeBufferPointer(rebasing: source[position...])
          let run = unsafe self.run(withoutEscapeIn: rest)
          // No escape is shorter than what it stands for, so there is room.
          let copied = unsafe UnsafeMutableBufferPointer(rebasing: target[count...])
            .update(fromContentsOf: rest[..<run])
          count += copied
          position += run
          guard position < source.count else { break }
          position += Self.unescape(self, at: offset + position) { byte in
            unsafe target[count] = byte
            count += 1
          }
        }
        // Only what has been written is read, and it is valid: runs of a validated text, and whole
        // characters.
        let text = unsafe UnsafeBufferPointer(rebasing: target[..<count])
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
          return unsafe String(copying: UTF8Span(unchecked: text.span))
        }
        return unsafe String(decoding: text, as: UTF8.self)
      }
    }
  }
}

extension JSONText {
  /// Returns the number of bytes before the first escape.
  private func run(withoutEscapeIn bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let start = bytes.baseAddress,
      let escape = unsafe memchr(start, Int32(UInt8(ascii: "\\")), bytes.count)
    else { return bytes.count }
    return unsafe UnsafeRawPointer(escape) - UnsafeRawPointer(start)
  }
}

/// The length and the ends of a name, which are compared with the bytes of a document. The name
/// itself is needed only where they don't decide.
struct KeyName {
  /// The number of bytes in UTF-8.
  let count: Int
  /// The first eight bytes, the first in the lowest bits, with zeros behind the last.
  let head: UInt64
  /// The last eight bytes of a longer name, or else 0.
  let tail: UInt64

  @inline(__always)
  init(_ name: String) {
    // The bytes of all strings but those of Objective-C are contiguous, and so are those of a copy.
    if let words = unsafe name.utf8.withContiguousStorageIfAvailable(Self.words) {
      (count, head, tail) = words
    } else {
      (count, head, tail) = unsafe Array(name.utf8).withUnsafeBufferPointer(Self.words)
    }
  }

  // Every load lies within the bytes, by the number of them in its case.
  @inline(__always)
  private static func words(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) -> (count: Int, head: UInt64, tail: UInt64) {
    let raw = UnsafeRawBufferPointer(bytes)
    func load<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> UInt64 {
      unsafe UInt64(
        truncatingIfNeeded: Number(
          littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: type)))
    }
    let count = bytes.count
    let head: UInt64
    switch count {
    case 8...: head = load(UInt64.self, at: 0)
    // Two parts that overlap.
    case 4...:
      let shift = UInt64(truncatingIfNeeded: (count &- 4) &* 8)
      head = load(UInt32.self, at: 0) | load(UInt32.self, at: count &- 4) &<< shift
    case 2...:
      let shift = UInt64(truncatingIfNeeded: (count &- 2) &* 8)
      head = load(UInt16.self, at: 0) | load(UInt16.self, at: count &- 2) &<< shift
    case 1: head = unsafe UInt64(bytes[0])
    default: head = 0
    }
    return (count, head, count > 8 ? load(UInt64.self, at: count &- 8) : 0)
  }
}

extension JSONText {
  /// Returns the first eight bytes of a range, with zeros behind its last.
  @inline(__always)
  func head(at offset: Int, _ length: Int) -> UInt64 {
    if let word = word(at: offset) {
      return length >= 8 ? word : word & ((1 &<< UInt64(truncatingIfNeeded: length &* 8)) &- 1)
    }
    var head: UInt64 = 0
    for position in 0..<min(length, 8) {
      head |= UInt64(self[offset &+ position]) &<< UInt64(truncatingIfNeeded: position &* 8)
    }
    return head
  }

  /// Returns whether a range has the bytes of a name.
  @inline(__always)
  func matches(_ key: KeyName, _ name: String, at offset: Int, _ length: Int) -> Bool {
    guard length == key.count, head(at: offset, length) == key.head else { return false }
    guard length > 8 else { return true }
    guard word(at: offset &+ length &- 8) == key.tail else { return false }
    return length <= 16 || hasMiddle(of: name, at: offset, length)
  }

  // Both have `length` bytes: `matches` has compared the lengths.
  @inline(never)
  private func hasMiddle(of name: String, at offset: Int, _ length: Int) -> Bool {
    unsafe withBytes(at: offset, length) { bytes in
      unsafe name.utf8.withContiguousStorageIfAvailable { name in
        guard let left = bytes.baseAddress, let right = name.baseAddress else { return false }
        return unsafe memcmp(left, right, length) == 0
      } ?? bytes.elementsEqual(name.utf8)
    }
  }

  /// Returns whether the camel case of a range is a name; `nil` if a byte that isn't a lower-case
  /// letter, a digit, or an underscore between two of them comes before that is known.
  func matchesInCamelCase(_ name: String, at offset: Int, _ length: Int) -> Bool? {
    var string = name
    return unsafe withBytes(at: offset, length) { bytes in
      string.withUTF8 { name in
        var isInFirstWord = true
        var isUpper = false
        var position = 0
        for index in bytes.indices {
          let byte = unsafe bytes[index]
          if byte == UInt8(ascii: "_") {
            guard index > 0, index + 1 < bytes.count, unsafe bytes[index + 1] != byte else {
              return nil
            }
            isInFirstWord = false
            isUpper = true
            continue
          }
          let isLetter = byte &- UInt8(ascii: "a") < 26
          guard isLetter || byte &- UInt8(ascii: "0") < 10 else { return nil }
          let wanted = isLetter && isUpper ? byte &- 0x20 : byte
          guard position < name.count, unsafe name[position] == wanted else { return false }
          // Capitalizing treats a letter behind a digit as the first of a word.
          isUpper = !isLetter && !isInFirstWord
          position &+= 1
        }
        return position == name.count
      }
    }
  }
}
