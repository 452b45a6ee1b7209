internal import ResourceLoading

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

  private func convert(_ bytes: ArraySlice<UInt8>) -> String? {
    PlatformText(number: number, isEUC: isEUC).text(bytes)
  }
}

extension UInt8 {
  /// Whether the byte is a character of its own wherever it stands.
  fileprivate var isCut: Bool {
    self == .lineFeed || self == .space || self == .lessThan || self == .greaterThan
  }
}
