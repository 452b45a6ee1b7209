/// UTF-16 to UTF-8.
struct UTF16Transcoder {
  var isBigEndian: Bool

  /// - Returns: How many bytes were used; a unit or pair that isn't complete waits.
  /// - Throws: Invalid bytes at a surrogate without its other half, or at a half unit at the end.
  func transcode(
    _ bytes: [UInt8], isFinal: Bool, into output: inout [UInt8]
  ) throws(Failure) -> Int {
    var i = 0
    while i + 1 < bytes.count {
      let first = unit(bytes, i)
      switch first {
      case 0xD800..<0xDC00:
        guard i + 3 < bytes.count else {
          if isFinal { throw invalid(output) }
          return i
        }
        let second = unit(bytes, i + 2)
        guard second & 0xFC00 == 0xDC00 else { throw invalid(output) }
        output.append(scalar: 0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
        i += 4
      case 0xDC00..<0xE000:
        throw invalid(output)
      default:
        output.append(scalar: first)
        i += 2
      }
    }
    if isFinal, i < bytes.count { throw invalid(output) }
    return i
  }

  private func unit(_ bytes: [UInt8], _ i: Int) -> UInt32 {
    let (high, low) = isBigEndian ? (bytes[i], bytes[i + 1]) : (bytes[i + 1], bytes[i])
    return UInt32(high) << 8 | UInt32(low)
  }

  private func invalid(_ output: [UInt8]) -> Failure {
    Failure(.invalidBytes, "these bytes aren't UTF-16", at: output.count)
  }
}
