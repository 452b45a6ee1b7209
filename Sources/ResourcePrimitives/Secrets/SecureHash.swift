#if canImport(CryptoKit)
  internal import CryptoKit
  internal import Foundation
#endif

/// Hashes that don't give away what they were made of: SHA-256 (FIPS 180-4), and HMAC with it (RFC
/// 2104).
package enum SecureHash {
  /// Returns the 32 bytes of the SHA-256 hash.
  package static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    #if canImport(CryptoKit)
      return Array(SHA256.hash(data: Data(bytes)))
    #else
      return SHA256Block.hash(Array(bytes))
    #endif
  }

  /// Returns the 32 bytes of HMAC-SHA-256: without the key they can neither be made nor give the
  /// message away.
  ///
  /// - Parameter key: At most 64 bytes.
  package static func hmac(_ message: some Sequence<UInt8>, key: some Collection<UInt8>) -> [UInt8]
  {
    let block = Array(key.prefix(64)) + Array(repeating: 0, count: max(0, 64 - key.count))
    let inner = sha256(block.map { $0 ^ 0x36 } + message)
    return sha256(block.map { $0 ^ 0x5C } + inner)
  }

  /// Returns bytes as hexadecimal digits in lower case, two each.
  package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}

#if !canImport(CryptoKit)
  /// The compression function of FIPS 180-4 section 6.2.
  private enum SHA256Block {
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
      var state: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
        0x5BE0_CD19,
      ]
      let message = padded(bytes)
      var words = [UInt32](repeating: 0, count: 64)
      for start in stride(from: 0, to: message.count, by: 64) {
        schedule(message[start..<start + 64], into: &words)
        compress(words, into: &state)
      }
      return state.flatMap { word in
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
      }
    }

    /// The message, a one, zeros, and the number of its bits, in whole blocks (section 5.1.1).
    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
      var message = bytes
      message.append(0x80)
      message += Array(repeating: 0, count: (120 - message.count % 64) % 64)
      let bitCount = UInt64(bytes.count) * 8
      message += stride(from: 56, through: 0, by: -8).map {
        UInt8(truncatingIfNeeded: bitCount >> $0)
      }
      return message
    }

    /// The message schedule (section 6.2.2, step 1).
    private static func schedule(_ block: ArraySlice<UInt8>, into words: inout [UInt32]) {
      for index in 0..<16 {
        let start = block.startIndex + 4 * index
        words[index] = block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
      }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let sigma0 = early.rotated(7) ^ early.rotated(18) ^ early >> 3
        let sigma1 = late.rotated(17) ^ late.rotated(19) ^ late >> 10
        words[index] = words[index - 16] &+ sigma0 &+ words[index - 7] &+ sigma1
      }
    }

    /// Steps 2 to 4.
    private static func compress(_ words: [UInt32], into state: inout [UInt32]) {
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      for index in 0..<64 {
        let sum1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
        let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
        let sum0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
        let second = sum0 &+ (a & b ^ a & c ^ b & c)
        (h, g, f, e) = (g, f, e, d &+ first)
        (d, c, b, a) = (c, b, a, first &+ second)
      }
      for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    /// Section 4.2.2.
    private static let constants: [UInt32] = [
      0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
      0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
      0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
      0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
      0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
      0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
      0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
      0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
      0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
      0xC671_78F2,
    ]
  }

  extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
  }
#endif
