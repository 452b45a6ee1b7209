internal import Foundation

/// Converts pieces of a document to UTF-8.
struct PieceTranscoder {
  private let encoding: JSONEncoding
  /// The bytes of a character that isn't complete.
  private var rest: [UInt8] = []

  init(_ encoding: JSONEncoding) { self.encoding = encoding }

  /// Appends a piece in UTF-8.
  mutating func append(
    _ piece: Data, to bytes: inout [UInt8], isLast: Bool
  ) throws(JSONScanError) {
    guard case .other(let encoding, _) = encoding else {
      bytes.append(contentsOf: piece)
      return
    }
    rest.append(contentsOf: piece)
    let read: Int?
    switch encoding {
    case .utf16LittleEndian: read = Self.utf16(rest, isBig: false, to: &bytes)
    case .utf16BigEndian: read = Self.utf16(rest, isBig: true, to: &bytes)
    case .utf32LittleEndian: read = Self.utf32(rest, isBig: false, to: &bytes)
    default: read = Self.utf32(rest, isBig: true, to: &bytes)
    }
    guard let read, !isLast || read == rest.count else { throw .invalidEncoding }
    rest.removeFirst(read)
  }

  /// Converts whole characters.
  ///
  /// - Returns: The number of bytes that were read; `nil` if they aren't characters.
  private static func utf16(_ source: [UInt8], isBig: Bool, to bytes: inout [UInt8]) -> Int? {
    func unit(_ offset: Int) -> UInt32 {
      let (first, second) = (UInt32(source[offset]), UInt32(source[offset + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    var offset = 0
    while offset + 2 <= source.count {
      var value = unit(offset)
      var length = 2
      if 0xD800..<0xDC00 ~= value {
        guard offset + 4 <= source.count else { break }
        let low = unit(offset + 2)
        guard 0xDC00..<0xE000 ~= low else { return nil }
        value = 0x10000 + (value - 0xD800) << 10 + (low & 0x3FF)
        length = 4
      }
      guard let character = Unicode.Scalar(value) else { return nil }
      bytes.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
      offset += length
    }
    return offset
  }

  private static func utf32(_ source: [UInt8], isBig: Bool, to bytes: inout [UInt8]) -> Int? {
    var offset = 0
    while offset + 4 <= source.count {
      let quad = source[offset..<offset + 4]
      let value = (isBig ? Array(quad) : quad.reversed()).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard let character = Unicode.Scalar(value) else { return nil }
      bytes.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
      offset += 4
    }
    return offset
  }
}
