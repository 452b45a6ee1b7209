#if Curl && canImport(CResourceCurl)
  /// Reads bits from bytes that arrive in pieces, the lowest first (RFC 1951 section 3.1.1).
  ///
  /// A copy is a place to come back to, until the next piece is appended.
  struct BitReader {
    private var bytes: [UInt8] = []
    private var position = 0
    /// Bits that were taken from the bytes; those above `count` are 0.
    private(set) var bits: UInt64 = 0
    private(set) var count = 0

    /// Adds a piece behind what hasn't been read.
    mutating func append(_ piece: UnsafeRawBufferPointer) {
      bytes.removeFirst(position)
      position = 0
      bytes.append(contentsOf: piece)
    }

    /// Whether all has been read.
    var isEmpty: Bool { count == 0 && position == bytes.count }

    /// How many whole bytes haven't been read.
    var unreadCount: Int { bytes.count - position + count / 8 }
  }

  extension BitReader {
    /// Gets 56 bits or more ready, or all there are.
    @inline(__always)
    mutating func refill() {
      while count <= 56, position < bytes.count {
        bits |= UInt64(bytes[position]) << UInt64(count)
        position += 1
        count += 8
      }
    }

    /// Skips bits that are ready.
    @inline(__always)
    mutating func skip(_ length: Int) {
      bits >>= UInt64(length)
      count -= length
    }

    /// The next bits, at most 32, as a number; `nil` if they haven't arrived.
    @inline(__always)
    mutating func take(_ length: Int) -> Int? {
      if count < length { refill() }
      guard count >= length else { return nil }
      defer { skip(length) }
      return Int(bits & (1 << UInt64(length) - 1))
    }

    /// Skips to the next byte.
    mutating func alignToByte() { skip(count % 8) }
  }
#endif
