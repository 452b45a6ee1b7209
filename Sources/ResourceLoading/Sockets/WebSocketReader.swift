import Foundation

/// Reads the frames of the other side from bytes that arrive in any pieces (RFC 6455 section 5).
///
/// After a violation it must not be used again.
package struct WebSocketReader {
  /// What the other side has said.
  package enum Event: Sendable, Hashable {
    case message(WebSocket.Message)
    case ping([UInt8])
    case pong([UInt8])
    /// The other side sends no more.
    case close(WebSocket.Closure)
  }

  /// The maximum number of bytes in a message, decompressed.
  private let limit: Int
  /// Whether the frames have to be masked: those of a client.
  private let isMasked: Bool
  private let inflater: WebSocketInflater?
  /// The bytes of a head that isn't complete.
  private var head: [UInt8] = []
  /// The number of bytes in that head; 2 until its length is known.
  private var headSize = 2
  private var frame: Frame?
  private var message: Message?
  /// The payload of a control frame.
  private var control: [UInt8] = []

  private struct Frame {
    let head: WebSocketFrame
    var missing: Int
    let key: ArraySlice<UInt8>
    /// The number of bytes that were unmasked.
    var offset = 0
  }

  private struct Message {
    let isText: Bool
    let isCompressed: Bool
    var payload: [UInt8] = []
    var text = UTF8Validator()
  }

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of bytes in a message.
  ///   - isMasked: Whether the frames are those of a client, which are masked.
  ///   - inflater: Decompresses messages; `nil` if compression wasn't agreed on.
  package init(limit: Int, isMasked: Bool = false, inflater: WebSocketInflater? = nil) {
    (self.limit, self.isMasked, self.inflater) = (limit, isMasked, inflater)
  }
}

extension WebSocketReader {
  /// Reads a piece.
  ///
  /// - Parameter events: Gets what is complete, also what came before a violation.
  package mutating func read(
    _ piece: some Sequence<UInt8>, into events: inout [Event]
  ) throws(WebSocketViolation) {
    var bytes = Array(piece)[...]
    while try begin(&bytes) {
      let part = bytes.prefix(frame?.missing ?? 0)
      bytes = bytes.dropFirst(part.count)
      try take(part)
      guard frame?.missing == 0, let head = frame.take()?.head else { return }
      if let event = try end(head) { events.append(event) }
    }
  }

  /// Reads the head of a frame, unless one is being read.
  ///
  /// - Returns: Whether there is a frame now.
  private mutating func begin(_ bytes: inout ArraySlice<UInt8>) throws(WebSocketViolation) -> Bool {
    guard frame == nil else { return true }
    while head.count < headSize, let byte = bytes.popFirst() {
      head.append(byte)
      if head.count == 2 { headSize = try checkHead() }
    }
    guard head.count == headSize else { return false }
    let missing = try length()
    frame = Frame(
      head: WebSocketFrame(
        WebSocketOpcode(rawValue: head[0] & 0x0F) ?? .continuation, isFinal: head[0] & 0x80 != 0,
        isCompressed: head[0] & 0x40 != 0),
      missing: missing, key: isMasked ? head.suffix(4) : [])
    head.removeAll(keepingCapacity: true)
    headSize = 2
    try beginMessage()
    return true
  }

  /// Checks the first two bytes.
  ///
  /// - Returns: The number of bytes in the head.
  private func checkHead() throws(WebSocketViolation) -> Int {
    guard head[0] & 0x30 == 0 else { throw .protocolError("a reserved bit is set") }
    guard let opcode = WebSocketOpcode(rawValue: head[0] & 0x0F) else {
      throw .protocolError("the opcode \(head[0] & 0x0F) is reserved")
    }
    if head[0] & 0x40 != 0 {
      guard inflater != nil, opcode == .text || opcode == .binary else {
        throw .protocolError("the bit for compression is set")
      }
    }
    guard (head[1] & 0x80 != 0) == isMasked else {
      throw .protocolError(isMasked ? "a frame isn't masked" : "a frame is masked")
    }
    let length = head[1] & 0x7F
    if opcode.isControl {
      guard head[0] & 0x80 != 0 else { throw .protocolError("a control frame is fragmented") }
      guard length <= 125 else { throw .protocolError("a control frame has more than 125 bytes") }
    } else if (opcode == .continuation) != (message != nil) {
      throw .protocolError(
        message == nil ? "there is no message to continue" : "a message isn't complete")
    }
    return 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + (isMasked ? 4 : 0)
  }

  /// The length in a complete head, which has to take as few bytes as it can.
  private func length() throws(WebSocketViolation) -> Int {
    let short = head[1] & 0x7F
    guard short > 125 else { return Int(short) }
    let length = head[2..<(short == 126 ? 4 : 10)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard length > (short == 126 ? 125 : 0xFFFF), length <= UInt64(Int64.max) else {
      throw .protocolError("the length of a frame is malformed")
    }
    return Int(clamping: length)
  }

  private mutating func beginMessage() throws(WebSocketViolation) {
    guard let frame, !frame.head.opcode.isControl else { return }
    if frame.head.opcode != .continuation {
      message = Message(
        isText: frame.head.opcode == .text, isCompressed: frame.head.isCompressed)
    }
    // What can't be compressed grows by some bytes when it is.
    let growth = message?.isCompressed == true ? min(limit / 256 + 64, .max - limit) : 0
    guard frame.missing <= limit + growth - (message?.payload.count ?? 0) else {
      throw .tooLarge(limit)
    }
  }
}

extension WebSocketReader {
  private mutating func take(_ part: ArraySlice<UInt8>) throws(WebSocketViolation) {
    guard !part.isEmpty, let frame else { return }
    self.frame?.missing -= part.count
    let part = frame.key.isEmpty ? part : unmasked(part)
    guard !frame.head.opcode.isControl else {
      control += part
      return
    }
    guard message?.isText == true, message?.isCompressed == false else {
      message?.payload += part
      return
    }
    guard message?.text.accepts(part) == true else { throw .invalidText }
    message?.payload += part
  }

  private mutating func unmasked(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let frame else { return part }
    let key = Array(frame.key)
    var bytes = Array(part)
    for index in 0..<bytes.count { bytes[index] ^= key[(frame.offset + index) & 3] }
    self.frame?.offset += bytes.count
    return bytes[...]
  }

  /// Ends a frame.
  ///
  /// - Returns: The event that it completes.
  private mutating func end(_ frame: WebSocketFrame) throws(WebSocketViolation) -> Event? {
    guard frame.opcode.isControl else {
      guard frame.isFinal, let message = message.take() else { return nil }
      return .message(try value(of: message))
    }
    defer { control = [] }
    switch frame.opcode {
    case .ping: return .ping(control)
    case .pong: return .pong(control)
    default: return .close(try closure())
    }
  }

  private func value(of message: Message) throws(WebSocketViolation) -> WebSocket.Message {
    guard message.isCompressed else {
      guard message.isText else { return .binary(Data(message.payload)) }
      guard message.text.isComplete else { throw .invalidText }
      return .text(String(decoding: message.payload, as: UTF8.self))
    }
    let payload = try inflater?.inflate(message.payload, limit: limit) ?? []
    guard message.isText else { return .binary(Data(payload)) }
    guard let text = String(validating: payload, as: UTF8.self) else { throw .invalidText }
    return .text(text)
  }

  /// The code and the reason in a close frame (RFC 6455 section 5.5.1).
  private func closure() throws(WebSocketViolation) -> WebSocket.Closure {
    guard !control.isEmpty else { return WebSocket.Closure() }
    guard control.count >= 2 else { throw .protocolError("a close frame has a single byte") }
    let code = WebSocket.CloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
    guard code.maySend else { throw .protocolError("the close code \(code.rawValue) is invalid") }
    guard let reason = String(validating: control[2...], as: UTF8.self) else { throw .invalidText }
    return WebSocket.Closure(code: code, reason: reason)
  }
}

extension WebSocketViolation {
  static func protocolError(_ reason: String) -> WebSocketViolation {
    WebSocketViolation(.protocolError, reason)
  }

  static let invalidText = WebSocketViolation(.invalidData, "a text isn't UTF-8")

  static func tooLarge(_ limit: Int) -> WebSocketViolation {
    WebSocketViolation(.messageTooBig, "a message has more than \(limit) bytes")
  }
}
