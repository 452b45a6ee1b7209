import Foundation

/// Text in an encoding that the platform's converter knows.
package struct PlatformText: Sendable {
  /// The Core Foundation number of the encoding.
  private let number: UInt32
  /// Whether the bytes are EUC-JP, to be re-coded before.
  private let isEUC: Bool

  /// - Parameters:
  ///   - number: The Core Foundation number of the encoding.
  ///   - isEUC: Whether the bytes are EUC-JP, to be re-coded before.
  package init(number: UInt32, isEUC: Bool = false) {
    self.number = number
    self.isEUC = isEUC
  }
}

extension PlatformText {
  /// - Returns: `nil` when the bytes mean nothing. Some converters give private characters of Apple's
  ///   for bytes that are free; those count as nothing too.
  package func text(_ bytes: ArraySlice<UInt8>) -> String? {
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
