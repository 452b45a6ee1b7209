#if Curl && canImport(CResourceCurl)
  /// The checksum of what was decompressed, and its size.
  struct Checksum {
    enum Kind {
      case none
      /// RFC 1952 section 8.
      case crc32
      /// RFC 1950 section 8.2.
      case adler32
    }

    let kind: Kind
    private var value: UInt32
    private var size: UInt32 = 0

    init(_ kind: Kind) {
      self.kind = kind
      value = kind == .adler32 ? 1 : 0
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
      size &+= UInt32(truncatingIfNeeded: bytes.count)
      switch kind {
      case .none: break
      case .crc32: updateCRC(bytes)
      case .adler32: updateAdler(bytes)
      }
    }

    /// Whether these, as they are read with the lowest byte first, are what was computed.
    func matches(_ sum: UInt32, size: UInt32) -> Bool {
      switch kind {
      case .none: true
      case .crc32: sum == value && size == self.size
      case .adler32: sum.byteSwapped == value
      }
    }
  }

  extension Checksum {
    private mutating func updateCRC(_ bytes: UnsafeRawBufferPointer) {
      let table = Self.crcTable
      var crc = ~value
      for byte in bytes { crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
      value = ~crc
    }

    private static let crcTable: [UInt32] = (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : 0xEDB8_8320 ^ crc >> 1 }
    }

    private mutating func updateAdler(_ bytes: UnsafeRawBufferPointer) {
      var (a, b) = (value & 0xFFFF, value >> 16)
      var rest = bytes[...]
      while !rest.isEmpty {
        // As many as can be added up before the sums have to be reduced.
        for byte in rest.prefix(5552) {
          a += UInt32(byte)
          b += a
        }
        rest = rest.dropFirst(5552)
        a %= 65_521
        b %= 65_521
      }
      value = b << 16 | a
    }
  }
#endif
