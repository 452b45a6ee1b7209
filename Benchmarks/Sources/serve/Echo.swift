import Foundation

/// A WebSocket whose messages come back as they are.
struct Echo {
  /// What came of a frame that isn't whole yet.
  private var pending: [UInt8] = []
  /// What the client hasn't taken yet.
  private var output: [UInt8]

  /// Accepts a handshake for the path `/echo`; `nil` for any other request.
  init?(_ request: UnsafeRawBufferPointer) {
    guard request.starts(with: "GET /echo ".utf8) else { return nil }
    let field = String(decoding: request, as: UTF8.self).split(separator: "\r\n")
      .first { $0.lowercased().hasPrefix("sec-websocket-key:") }
    guard let key = field?.split(separator: " ").last else { return nil }
    let accepted = SHA1.hash(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    output = Array(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(Data(accepted).base64EncodedString())\r\n\r\n"
        .utf8)
  }

  var isWriting: Bool { !output.isEmpty }

  /// Goes on as far as it can without waiting.
  ///
  /// - Returns: Whether the connection is still of use.
  mutating func advance(_ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard output.isEmpty else { return write(to: socket) }
    let count = recv(socket, buffer.baseAddress, buffer.count, 0)
    guard count > 0 else { return count < 0 && errno == EAGAIN }
    pending += UnsafeRawBufferPointer(rebasing: buffer[..<count])
    var start = 0
    while let end = answer(from: start) { start = end }
    pending.removeFirst(start)
    return write(to: socket)
  }

  mutating func write(to socket: Int32) -> Bool {
    guard !output.isEmpty else { return true }
    let count = output.withUnsafeBytes {
      send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard count >= 0 else { return errno == EAGAIN }
    output.removeFirst(count)
    return true
  }

  /// Answers the frame that begins at an index.
  ///
  /// - Returns: Its end; `nil` if it isn't whole.
  private mutating func answer(from start: Int) -> Int? {
    guard pending.count - start >= 6 else { return nil }
    let short = Int(pending[start + 1] & 0x7F)
    let extended = short < 126 ? 0 : short == 126 ? 2 : 8
    let key = start + 2 + extended
    guard pending.count >= key + 4 else { return nil }
    let count =
      extended == 0 ? short : pending[(start + 2)..<key].reduce(0) { $0 << 8 | Int($1) }
    let end = key + 4 + count
    guard pending.count >= end else { return nil }
    let opcode = pending[start] & 0x0F
    output.append(opcode == 9 ? pending[start] & 0xF0 | 10 : pending[start])
    output.append(UInt8(short))
    output += pending[(start + 2)..<key]
    for index in 0..<count { output.append(pending[key + 4 + index] ^ pending[key + index & 3]) }
    return end
  }
}

/// The hash of the handshake (FIPS 180-4 section 6.1).
private enum SHA1 {
  static func hash(_ bytes: [UInt8]) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: (119 - bytes.count % 64) % 64)
    let length = (0..<8).map { UInt8(truncatingIfNeeded: (bytes.count * 8) >> (56 - 8 * $0)) }
    let message = bytes + [0x80] + zeros + length
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for block in stride(from: 0, to: message.count, by: 64) {
      var words = (0..<16).map { word in
        (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(message[block + 4 * word + $1]) }
      }
      for index in 16..<80 {
        let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
        words.append(rotated(word, 1))
      }
      var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
      for (index, word) in words.enumerated() {
        let (mixed, constant): (UInt32, UInt32) =
          switch index {
          case ..<20: (b & c | ~b & d, 0x5A82_7999)
          case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
          case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
          default: (b ^ c ^ d, 0xCA62_C1D6)
          }
        (a, b, c, d, e) = (rotated(a, 5) &+ mixed &+ e &+ constant &+ word, a, rotated(b, 30), c, d)
      }
      for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
    }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
