internal import Foundation

/// The bytes of a document that arrives in pieces: what is being read of it, in UTF-8.
struct PieceBuffer {
  private(set) var bytes: [UInt8] = []
  /// The position of the first byte in the whole document.
  private(set) var origin = TextOrigin(.utf8)
  /// What has arrived and isn't among the bytes yet.
  private var incoming = Data()
  private var isFinished = false
  /// `nil` until the encoding is known.
  private var transcoder: PieceTranscoder?
  /// Whether the bytes are the last of the document.
  private(set) var isLast = false

  /// The number of bytes that are taken at a time from a large piece.
  private static let portion = 64 << 10
}

extension PieceBuffer {
  /// Adds a piece.
  mutating func append(_ piece: Data) {
    precondition(!isFinished, "a piece behind the end of the document")
    if incoming.isEmpty { incoming = piece } else { incoming.append(piece) }
  }

  /// Ends the document.
  mutating func finish() { isFinished = true }

  /// Takes more bytes of what has arrived.
  ///
  /// - Returns: Whether there are more bytes, or ``isLast`` has changed.
  mutating func refill() throws(JSONScanError) -> Bool {
    guard !isLast else { return false }
    if transcoder == nil {
      // An encoding shows in four bytes.
      guard isFinished || incoming.count >= 4 else { return false }
      let encoding = JSONEncoding(of: incoming)
      transcoder = PieceTranscoder(encoding)
      origin = TextOrigin(encoding)
      incoming = incoming.dropFirst(encoding.mark)
    }
    guard isFinished || !incoming.isEmpty else { return false }
    let portion = incoming.prefix(Self.portion)
    incoming = incoming.dropFirst(portion.count)
    if incoming.isEmpty { incoming = Data() }
    isLast = isFinished && incoming.isEmpty
    try transcoder?.append(portion, to: &bytes, isLast: isLast)
    return true
  }

  /// Drops bytes at the beginning, all but one at most.
  ///
  /// - Returns: Their number.
  mutating func drop(_ count: Int) -> Int {
    let count = min(count, bytes.count - 1)
    guard count > 0 else { return 0 }
    withText { text, origin in origin = origin.moved(to: count, in: text) }
    bytes.removeFirst(count)
    return count
  }

  /// The bytes, and what follows them, if nothing of the document has been dropped and it is UTF-8.
  var beginning: Data? {
    guard origin.isStart, case .utf8 = origin.encoding else { return nil }
    return Data(bytes) + incoming
  }

  /// Calls a closure with the bytes as a text.
  private mutating func withText(_ body: (JSONText, inout TextOrigin) -> Void) {
    let bytes = bytes
    unsafe bytes.withUnsafeBytes { bytes in
      if let text = unsafe JSONText(bytes) { body(text, &origin) }
    }
  }
}
