/// The kind of a frame (RFC 6455 section 5.2).
package enum WebSocketOpcode: UInt8, Sendable {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  /// Whether the frame stands between those of messages.
  package var isControl: Bool { rawValue >= 0x8 }
}

/// What the other side did against the protocol, and how the socket is closed for it.
package struct WebSocketViolation: Error, Hashable, Sendable {
  package var code: WebSocket.CloseCode
  package var reason: String

  package init(_ code: WebSocket.CloseCode, _ reason: String) {
    (self.code, self.reason) = (code, reason)
  }
}

/// The head of a frame.
package struct WebSocketFrame: Sendable {
  package var opcode: WebSocketOpcode
  package var isFinal = true
  /// The first reserved bit: the message is compressed (RFC 7692 section 6).
  package var isCompressed = false

  package init(_ opcode: WebSocketOpcode, isFinal: Bool = true, isCompressed: Bool = false) {
    (self.opcode, self.isFinal, self.isCompressed) = (opcode, isFinal, isCompressed)
  }

  /// Returns the frame with a payload.
  ///
  /// - Parameter key: The bytes that mask the payload; `nil` for a frame of a server.
  package func bytes(_ payload: some Collection<UInt8>, mask key: [UInt8]?) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payload.count + 14)
    bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    let mark: UInt8 = key == nil ? 0 : 0x80
    switch payload.count {
    case ...125: bytes.append(mark | UInt8(payload.count))
    case ...0xFFFF:
      bytes.append(mark | 126)
      bytes += [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      bytes.append(mark | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: UInt64(payload.count) >> shift))
      }
    }
    bytes += key ?? []
    let start = bytes.count
    bytes += payload
    guard let key else { return bytes }
    for index in start..<bytes.count { bytes[index] ^= key[(index - start) & 3] }
    return bytes
  }
}

/// Checks text in UTF-8 that arrives in pieces.
struct UTF8Validator: Sendable {
  /// The number of bytes that the current character still needs.
  private var missing = 0
  /// The values that its next byte may have: those of overlong forms and surrogates are left out.
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether no character is incomplete.
  var isComplete: Bool { missing == 0 }

  /// Returns whether the text, with this piece, can be UTF-8 (Unicode 16, table 3-7).
  mutating func accepts(_ bytes: ArraySlice<UInt8>) -> Bool {
    for byte in bytes {
      if missing > 0 {
        guard next.contains(byte) else { return false }
        (missing, next) = (missing - 1, 0x80...0xBF)
      } else if byte >= 0x80 {
        guard begin(byte) else { return false }
      }
    }
    return true
  }

  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, next) = (2, 0xA0...0xBF)
    case 0xED: (missing, next) = (2, 0x80...0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, next) = (3, 0x90...0xBF)
    case 0xF1...0xF3: missing = 3
    case 0xF4: (missing, next) = (3, 0x80...0x8F)
    default: return false
    }
    return true
  }
}
