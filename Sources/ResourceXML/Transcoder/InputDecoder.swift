internal import ResourcePrimitives

/// Transcodes a document into UTF-8, chunk by chunk.
struct InputDecoder: Sendable {
  private let detector: EncodingDetector
  private let sizeLimit: Int
  private var size = 0
  /// The bytes that wait until the encoding is detected or a character is complete.
  private var waiting: [UInt8] = []
  /// The number of waiting bytes that have been examined.
  private var seen = 0
  private var isDetected = false
  private(set) var declared = DeclaredEncoding()

  init(external: String?, sizeLimit: Int) {
    detector = EncodingDetector(external: external)
    self.sizeLimit = sizeLimit
  }

  /// Appends `chunk` to `output` as UTF-8.
  mutating func decode(
    _ chunk: Span<UInt8>, isFinal: Bool, into output: inout [UInt8]
  ) throws(Failure) {
    size += chunk.count
    guard size <= sizeLimit else {
      throw Failure(.limit, "the document is too large", at: output.count)
    }
    guard isDetected, waiting.isEmpty, declared.encoding == .utf8 else {
      waiting.append(chunk, from: 0, to: chunk.count)
      return try decodeWaiting(isFinal: isFinal, into: &output)
    }
    output.append(chunk, from: 0, to: chunk.count)
  }

  private mutating func decodeWaiting(
    isFinal: Bool, into output: inout [UInt8]
  ) throws(Failure) {
    if !isDetected {
      guard let answer = try detector.detect(waiting, isFinal: isFinal) else { return }
      declared = answer.declared
      isDetected = true
      if answer.markLength > 0 { waiting.removeFirst(answer.markLength) }
      if declared.encoding == .utf8, output.isEmpty {
        swap(&output, &waiting)
        return
      }
    }
    let used = try transcode(isFinal: isFinal, into: &output)
    waiting.removeFirst(used)
    seen = waiting.count
  }

  /// - Returns: The number of waiting bytes that were used.
  private func transcode(isFinal: Bool, into output: inout [UInt8]) throws(Failure) -> Int {
    switch declared.encoding {
    case .utf8:
      output.append(contentsOf: waiting)
      return waiting.count
    case .ascii, .latin1, .windows1252:
      return try transcodeBytes(into: &output)
    case .utf16(let isBigEndian):
      return try UTF16Transcoder(isBigEndian: isBigEndian)
        .transcode(waiting, isFinal: isFinal, into: &output)
    case .platform(let number):
      return try PlatformTranscoder(number: number)
        .transcode(waiting, seen: seen, isFinal: isFinal, into: &output)
    case .eucJP:
      return try PlatformTranscoder(number: 0x420, isEUC: true)
        .transcode(waiting, seen: seen, isFinal: isFinal, into: &output)
    }
  }

  private func transcodeBytes(into output: inout [UInt8]) throws(Failure) -> Int {
    for byte in waiting {
      if byte < 0x80 {
        output.append(byte)
      } else if declared.encoding == .ascii {
        throw Failure(.invalidBytes, "a byte isn't ASCII", at: output.count)
      } else if declared.encoding == .windows1252, byte < 0xA0 {
        output.append(scalar: TextEncoding.windows1252Scalars[Int(byte) - 0x80])
      } else {
        output.append(scalar: UInt32(byte))
      }
    }
    return waiting.count
  }
}

extension InputDecoder {
  /// Appends a whole document as UTF-8. UTF-8 without a mark is shared instead of copied.
  mutating func decode(_ document: [UInt8], into output: inout [UInt8]) throws(Failure) {
    waiting = document
    size = document.count
    guard size <= sizeLimit else {
      throw Failure(.limit, "the document is too large", at: 0)
    }
    try decodeWaiting(isFinal: true, into: &output)
  }
}

/// Transcodes any other encoding with the platform's converter.
///
/// The converter doesn't support streams. In all of these encodings except ISO-2022-JP, some ASCII
/// bytes can't be part of another character, so a piece that ends with one is complete.
struct PlatformTranscoder {
  /// The Core Foundation number of the encoding.
  var number: UInt32
  /// Whether the bytes are EUC-JP, which is recoded first.
  var isEUC = false

  /// - Parameter seen: The number of bytes that have been examined and contain no end of a piece.
  /// - Returns: The number of bytes that were used. An incomplete piece waits.
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

  /// Transcodes piece by piece to find the invalid bytes.
  private func transcodePieces(
    _ bytes: ArraySlice<UInt8>, into output: inout [UInt8]
  ) throws(Failure) {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let cut = isStateful ? nil : bytes[start...].firstIndex(where: \.isCut)
      let end = cut.map { $0 + 1 } ?? bytes.endIndex
      guard let text = convert(bytes[start..<end]) else {
        throw Failure(
          .invalidBytes, "these bytes aren't valid in the document's encoding", at: output.count)
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
    (isEUC ? TextEncoding.eucJP : .platform(number)).platformText(of: bytes)
  }
}

extension UInt8 {
  /// Whether the byte is always a character of its own.
  fileprivate var isCut: Bool {
    self == .lineFeed || self == .space || self == .lessThan || self == .greaterThan
  }
}

/// Transcodes UTF-16.
struct UTF16Transcoder {
  var isBigEndian: Bool

  /// - Returns: The number of bytes that were used. An incomplete unit or pair waits.
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
