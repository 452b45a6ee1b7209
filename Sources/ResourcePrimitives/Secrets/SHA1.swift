package import Foundation

/// A SHA-1 hash (FIPS 180-4) of bytes that arrive in pieces: for checksums that others chose, since
/// it protects from no forgery.
package struct RunningSHA1: Sendable {
  private var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
  private var block: [UInt8] = []
  private var length: UInt64 = 0

  package init() { block.reserveCapacity(64) }

  /// Hashes more bytes.
  package mutating func update(_ bytes: Data) {
    length &+= UInt64(bytes.count)
    append(bytes)
  }

  /// Returns the hash of all bytes.
  package func finish() -> [UInt8] {
    var last = self
    let zeros = (64 - Int((length &+ 9) % 64)) % 64
    last.append(CollectionOfOne(0x80))
    last.append([UInt8](repeating: 0, count: zeros))
    let bits = length &* 8
    last.append((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
    return last.state.flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
    }
  }

  private mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      block.append(byte)
      if block.count == 64 { compress() }
    }
  }

  private mutating func compress() {
    var words = [UInt32](repeating: 0, count: 80)
    for index in 0..<64 { words[index / 4] = words[index / 4] << 8 | UInt32(block[index]) }
    for index in 16..<80 {
      let mix = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words[index] = mix.rotated(by: 1)
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (value, constant): (UInt32, UInt32) =
        switch index {
        case 0..<20: (b & c | ~b & d, 0x5A82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = a.rotated(by: 5) &+ value &+ e &+ constant &+ words[index]
      (a, b, c, d, e) = (next, a, b.rotated(by: 30), c, d)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] = state[index] &+ word }
    block.removeAll(keepingCapacity: true)
  }
}

extension UInt32 {
  /// The bits rotated to the left.
  fileprivate func rotated(by count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}
