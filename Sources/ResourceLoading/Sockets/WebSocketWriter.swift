package import Foundation

/// Writes messages and control frames.
package struct WebSocketWriter {
  /// Whether payloads are masked: those of a client (RFC 6455 section 5.3).
  private let masks: Bool
  /// Compresses messages; `nil` if compression wasn't agreed on.
  private let deflater: WebSocketDeflater?
  private var random = SystemRandomNumberGenerator()

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - masks: Whether it is that of a client, whose payloads are masked.
  ///   - deflater: Compresses messages; `nil` for none.
  package init(masks: Bool = true, deflater: WebSocketDeflater? = nil) {
    (self.masks, self.deflater) = (masks, deflater)
  }
}

extension WebSocketWriter {
  /// The size in bytes below which compression isn't worth its time.
  private static let minimumCompressedSize = 64

  /// Returns the frame of a message.
  package mutating func frame(_ message: WebSocket.Message) -> Data {
    switch message {
    case .text(let text): frame(.text, Array(text.utf8))
    case .binary(let data): frame(.binary, Array(data))
    }
  }

  private mutating func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> Data {
    guard let deflater, payload.count >= Self.minimumCompressedSize,
      let compressed = deflater.deflate(payload)
    else { return Data(WebSocketFrame(opcode).bytes(payload, mask: mask())) }
    return Data(WebSocketFrame(opcode, isCompressed: true).bytes(compressed, mask: mask()))
  }

  /// Returns a control frame.
  ///
  /// - Parameter payload: At most 125 bytes.
  package mutating func control(_ opcode: WebSocketOpcode, _ payload: [UInt8] = []) -> Data {
    Data(WebSocketFrame(opcode).bytes(payload, mask: mask()))
  }

  /// Returns a close frame. A reason is cut where a character ends.
  package mutating func close(_ closure: WebSocket.Closure) -> Data {
    guard let code = closure.code else { return control(.close) }
    var reason = Substring(closure.reason)
    while reason.utf8.count > 123 { reason = reason.dropLast() }
    return control(
      .close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(reason.utf8))
  }

  /// The bytes that mask a payload, which nobody can foresee.
  private mutating func mask() -> [UInt8]? {
    guard masks else { return nil }
    let key = random.next() as UInt32
    return stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: key >> $0) }
  }
}
