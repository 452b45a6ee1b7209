import Foundation

/// The frames of WebSockets as a server reads and writes them, from RFC 6455 and not from the
/// library.
enum SocketFrame: Equatable {
  case text(String)
  case ping(String)
  case pong(String)
  case close(Int?)

  /// What a server sends, in one or two frames.
  func bytes(dividing divides: Bool = false) -> Data {
    switch self {
    case .text(let text):
      let (all, half) = (Data(text.utf8), text.utf8.count / 2)
      guard divides, half > 0 else { return Self.frame(0x81, all) }
      return Self.frame(0x01, all.prefix(half)) + Self.frame(0x89, Data("in between".utf8))
        + Self.frame(0x80, all.dropFirst(half))
    case .ping(let text): return Self.frame(0x89, Data(text.utf8))
    case .pong(let text): return Self.frame(0x8A, Data(text.utf8))
    case .close(let code):
      return Self.frame(0x88, code.map { Data([UInt8($0 >> 8), UInt8($0 & 0xFF)]) } ?? Data())
    }
  }

  private static func frame(_ first: UInt8, _ payload: Data) -> Data {
    var bytes = Data([first])
    if payload.count < 126 {
      bytes.append(UInt8(payload.count))
    } else if payload.count < 1 << 16 {
      bytes += [126] + number(payload.count, size: 2)
    } else {
      bytes += [127] + number(payload.count, size: 8)
    }
    return bytes + payload
  }

  private static func number(_ value: Int, size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
  }
}

/// Reads the masked frames of a client, each of which is whole.
struct SocketFrameReader {
  private var bytes = Data()

  mutating func read(_ piece: Data) -> [SocketFrame] {
    bytes += piece
    var frames: [SocketFrame] = []
    while let frame = next() { frames.append(frame) }
    return frames
  }

  private mutating func next() -> SocketFrame? {
    let all = [UInt8](bytes)
    guard all.count >= 2 else { return nil }
    var (length, start) = (Int(all[1] & 0x7F), 2)
    if length > 125 {
      let size = length == 126 ? 2 : 8
      guard all.count >= 2 + size else { return nil }
      (length, start) = (all[2..<2 + size].reduce(0) { $0 << 8 | Int($1) }, 2 + size)
    }
    guard all.count >= start + 4 + length else { return nil }
    let (key, payload) = (all[start..<start + 4], all[start + 4..<start + 4 + length])
    bytes = Data(all[(start + 4 + length)...])
    let content = payload.enumerated().map { $1 ^ key[start + $0 % 4] }
    let text = String(decoding: content, as: UTF8.self)
    switch all[0] & 0x0F {
    case 8: return .close(content.count < 2 ? nil : Int(content[0]) << 8 | Int(content[1]))
    case 9: return .ping(text)
    case 10: return .pong(text)
    default: return .text(text)
    }
  }
}

/// SHA-1 (FIPS 180-4), for the answer of a handshake.
func sha1(_ message: String) -> Data {
  var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
  var bytes = Array(message.utf8)
  let bits = UInt64(bytes.count) * 8
  bytes.append(0x80)
  while bytes.count % 64 != 56 { bytes.append(0) }
  bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
  for block in stride(from: 0, to: bytes.count, by: 64) {
    var words = (0..<16).map { index in
      bytes[block + 4 * index..<block + 4 * index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<80 {
      let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append(rotated(mixed, 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (mixed, constant): (UInt32, UInt32) =
        switch index / 20 {
        case 0: (b & c | ~b & d, 0x5A82_7999)
        case 1: (b ^ c ^ d, 0x6ED9_EBA1)
        case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotated(a, 5) &+ mixed &+ e &+ constant &+ words[index]
      (e, d, c, b, a) = (d, c, rotated(b, 30), a, next)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }
  return Data(state.flatMap { word in (0..<4).map { UInt8(word >> (24 - 8 * $0) & 0xFF) } })
}

private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
  word << count | word >> (32 - count)
}
