private import Foundation

/// Any other encoding to UTF-8, by the platform's converter.
///
/// The converter takes strings and not streams. In every encoding here (ISO-2022-JP apart) some ASCII
/// bytes can't be part of another character, so that pieces that end with one are whole.
struct PlatformTranscoder {
  /// The Core Foundation number of the encoding.
  var number: UInt32
  /// Whether the bytes are EUC-JP, to be re-coded before.
  var isEUC = false

  /// - Parameter seen: How many of the bytes have been here before and hold no end of a piece.
  /// - Returns: How many bytes were used; a piece that isn't complete waits.
  /// - Throws: Invalid bytes, once the pieces before are appended.
  func transcode(
    _ bytes: [UInt8], seen: Int, isFinal: Bool, into output: inout [UInt8]
  ) throws(Failure) -> Int {
    guard let end = isFinal ? bytes.count : lastCut(bytes[seen...]) else { return 0 }
    if let text = convert(bytes[..<end]) {
      output.append(contentsOf: text.utf8)
      return end
    }
    try transcodePieces(bytes[..<end], into: &output)
    return end
  }

  /// Piece by piece, to find the place of the trouble.
  private func transcodePieces(
    _ bytes: ArraySlice<UInt8>, into output: inout [UInt8]
  ) throws(Failure) {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let cut = isStateful ? nil : bytes[start...].firstIndex(where: \.isCut)
      let end = cut.map { $0 + 1 } ?? bytes.endIndex
      guard let text = convert(bytes[start..<end]) else {
        throw Failure(
          .invalidBytes, "these bytes mean nothing in the document's encoding", at: output.count)
      }
      output.append(contentsOf: text.utf8)
      start = end
    }
  }

  private var isStateful: Bool { number == 0x820 }

  private func lastCut(_ bytes: ArraySlice<UInt8>) -> Int? {
    isStateful ? nil : bytes.lastIndex(where: \.isCut).map { $0 + 1 }
  }

  /// - Returns: `nil` when the bytes mean nothing. Some converters give private characters of Apple's
  ///   for bytes that are free; those count as nothing too.
  private func convert(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let bytes = isEUC ? shiftJIS(bytes) : bytes else { return nil }
    let encoding = String.Encoding(rawValue: 0x8000_0000 | UInt(number))
    guard let text = String(data: Data(bytes), encoding: encoding) else { return nil }
    let isPrivate = isMultibyte && text.unicodeScalars.contains { 0xF8F0...0xF8FF ~= $0.value }
    return isPrivate ? nil : text
  }

  private var isMultibyte: Bool { number == 0xA03 || number == 0x422 || number == 0x420 }

  /// The same row and cell of JIS X 0208 in the other arrangement.
  private func shiftJIS(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var i = bytes.startIndex
    while i < bytes.endIndex {
      let first = bytes[i]
      i += 1
      guard first >= 0x80 else {
        result.append(first)
        continue
      }
      guard i < bytes.endIndex, bytes[i] >= 0xA1, bytes[i] < 0xFF else { return nil }
      let second = bytes[i]
      i += 1
      if first == 0x8E, second < 0xE0 {
        result.append(second)
      } else if first >= 0xA1, first < 0xFF {
        result.append(contentsOf: pair(row: first - 0xA1, cell: second - 0xA1))
      } else {
        return nil
      }
    }
    return result[...]
  }

  private func pair(row: UInt8, cell: UInt8) -> [UInt8] {
    let lead = row / 2 + (row < 62 ? 0x81 : 0xC1)
    let trail = row % 2 == 0 ? cell + (cell < 63 ? 0x40 : 0x41) : cell + 0x9F
    return [lead, trail]
  }
}

extension UInt8 {
  /// Whether the byte is a character of its own wherever it stands.
  fileprivate var isCut: Bool {
    self == .lineFeed || self == .space || self == .lessThan || self == .greaterThan
  }
}
