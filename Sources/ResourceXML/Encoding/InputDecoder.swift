internal import ResourceLoading

/// Turns the bytes of a document, as they come, into UTF-8.
struct InputDecoder: Sendable {
  private let detector: EncodingDetector
  private let sizeLimit: Int
  private var size = 0
  /// Bytes that wait: for the encoding, or for the rest of a character.
  private var waiting: [UInt8] = []
  /// How many of them were there already when they were last looked at.
  private var seen = 0
  private var isDetected = false
  private(set) var declared = DeclaredEncoding()

  init(external: String?, sizeLimit: Int) {
    detector = EncodingDetector(external: external)
    self.sizeLimit = sizeLimit
  }

  /// Appends what `chunk` means to `output`.
  ///
  /// - Throws: What is wrong behind the last character appended.
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

  /// - Returns: How many of the waiting bytes were used.
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
  /// Appends what a whole document means; UTF-8 without a mark is shared and not copied.
  mutating func decode(_ document: [UInt8], into output: inout [UInt8]) throws(Failure) {
    waiting = document
    size = document.count
    guard size <= sizeLimit else {
      throw Failure(.limit, "the document is too large", at: 0)
    }
    try decodeWaiting(isFinal: true, into: &output)
  }
}
