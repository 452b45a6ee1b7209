package import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#endif

/// A SHA-256 or SHA-512 hash (FIPS 180-4) of bytes that arrive in pieces.
package struct RunningHash {
  private enum State {
    case sha256(SHA256)
    case sha512(SHA512)
  }

  private var state: State

  /// Begins the hash of no bytes with 256 or 512 bits.
  package init(bits: Int) { state = bits == 512 ? .sha512(SHA512()) : .sha256(SHA256()) }

  /// Hashes more bytes.
  package mutating func update(_ bytes: Data) {
    switch state {
    case .sha256(var hash):
      hash.update(data: bytes)
      state = .sha256(hash)
    case .sha512(var hash):
      hash.update(data: bytes)
      state = .sha512(hash)
    }
  }

  /// Returns the hash of all bytes.
  package func finish() -> [UInt8] {
    switch state {
    case .sha256(let hash): Array(hash.finalize())
    case .sha512(let hash): Array(hash.finalize())
    }
  }
}

#if !canImport(CryptoKit)
  private typealias SHA256 = SHA2<UInt32>
  private typealias SHA512 = SHA2<UInt64>

  /// The algorithms for systems without CryptoKit, whose names the functions have.
  private struct SHA2<Word: SHA2Word>: Sendable {
    private var state = Word.initial
    private var words = [Word](repeating: 0, count: Word.constants.count)
    /// The bytes that don't fill a block yet.
    private var rest: [UInt8] = []
    private var length = 0

    /// The number of bytes in a block.
    private static var blockSize: Int { 16 * wordSize }
    private static var wordSize: Int { Word.bitWidth / 8 }

    init() {}

    /// Hashes more bytes.
    mutating func update(data bytes: some Collection<UInt8>) {
      length += bytes.count
      rest += bytes
      let whole = rest.count - rest.count % Self.blockSize
      guard whole > 0 else { return }
      for start in stride(from: 0, to: whole, by: Self.blockSize) { compress(at: start) }
      rest.removeFirst(whole)
    }

    /// Returns the hash of all bytes.
    func finalize() -> [UInt8] {
      var copy = self
      // The message, a one, zeros, and the number of its bits, in whole blocks (section 5.1).
      let lengthSize = 2 * Self.wordSize
      let zeros = Self.blockSize - (length + 1 + lengthSize) % Self.blockSize
      var padding = [0x80] + [UInt8](repeating: 0, count: zeros % Self.blockSize)
      padding += [UInt8](repeating: 0, count: lengthSize - 8)
      padding += Self.bytes(of: UInt64(length) * 8)
      copy.update(data: padding)
      return copy.state.flatMap { Self.bytes(of: $0) }
    }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
      stride(from: number.bitWidth - 8, through: 0, by: -8).map {
        UInt8(truncatingIfNeeded: number >> $0)
      }
    }
  }

  extension SHA2 {
    /// Sections 6.2.2 and 6.4.2.
    private mutating func compress(at start: Int) {
      schedule(at: start)
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      for index in words.indices {
        let first =
          h &+ Word.sum1(e) &+ (e & f ^ ~e & g) &+ Word.constants[index] &+ words[index]
        let second = Word.sum0(a) &+ (a & b ^ a & c ^ b & c)
        (h, g, f, e) = (g, f, e, d &+ first)
        (d, c, b, a) = (c, b, a, first &+ second)
      }
      for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    /// The message schedule, step 1.
    private mutating func schedule(at start: Int) {
      for index in 0..<16 {
        let first = start + index * Self.wordSize
        words[index] = rest[first..<first + Self.wordSize].reduce(0) { $0 << 8 | Word($1) }
      }
      for index in 16..<words.count {
        words[index] =
          words[index - 16] &+ Word.sigma0(words[index - 15]) &+ words[index - 7]
          &+ Word.sigma1(words[index - 2])
      }
    }
  }

  /// The words of a hash of the SHA-2 family: 32 bits for SHA-256, 64 for SHA-512.
  private protocol SHA2Word: FixedWidthInteger & UnsignedInteger & Sendable {
    static var initial: [Self] { get }
    static var constants: [Self] { get }
    static func sum0(_ word: Self) -> Self
    static func sum1(_ word: Self) -> Self
    static func sigma0(_ word: Self) -> Self
    static func sigma1(_ word: Self) -> Self
  }

  extension FixedWidthInteger {
    fileprivate func rotated(_ count: Self) -> Self {
      self &>> count | self &<< (Self(Self.bitWidth) &- count)
    }
  }

  /// Sections 4.1.2, 4.2.2 and 5.3.3: the upper halves of the numbers for SHA-512.
  extension UInt32: SHA2Word {
    static let initial: [UInt32] = UInt64.initial.map { UInt32($0 >> 32) }
    static let constants: [UInt32] = UInt64.constants.prefix(64).map { UInt32($0 >> 32) }

    static func sum0(_ word: UInt32) -> UInt32 {
      word.rotated(2) ^ word.rotated(13) ^ word.rotated(22)
    }

    static func sum1(_ word: UInt32) -> UInt32 {
      word.rotated(6) ^ word.rotated(11) ^ word.rotated(25)
    }

    static func sigma0(_ word: UInt32) -> UInt32 {
      word.rotated(7) ^ word.rotated(18) ^ word >> 3
    }

    static func sigma1(_ word: UInt32) -> UInt32 {
      word.rotated(17) ^ word.rotated(19) ^ word >> 10
    }
  }

  /// Sections 4.1.3, 4.2.3 and 5.3.5.
  extension UInt64: SHA2Word {
    static let initial: [UInt64] = [
      0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
      0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
    ]

    static let constants: [UInt64] = [
      0x428A_2F98_D728_AE22, 0x7137_4491_23EF_65CD, 0xB5C0_FBCF_EC4D_3B2F, 0xE9B5_DBA5_8189_DBBC,
      0x3956_C25B_F348_B538, 0x59F1_11F1_B605_D019, 0x923F_82A4_AF19_4F9B, 0xAB1C_5ED5_DA6D_8118,
      0xD807_AA98_A303_0242, 0x1283_5B01_4570_6FBE, 0x2431_85BE_4EE4_B28C, 0x550C_7DC3_D5FF_B4E2,
      0x72BE_5D74_F27B_896F, 0x80DE_B1FE_3B16_96B1, 0x9BDC_06A7_25C7_1235, 0xC19B_F174_CF69_2694,
      0xE49B_69C1_9EF1_4AD2, 0xEFBE_4786_384F_25E3, 0x0FC1_9DC6_8B8C_D5B5, 0x240C_A1CC_77AC_9C65,
      0x2DE9_2C6F_592B_0275, 0x4A74_84AA_6EA6_E483, 0x5CB0_A9DC_BD41_FBD4, 0x76F9_88DA_8311_53B5,
      0x983E_5152_EE66_DFAB, 0xA831_C66D_2DB4_3210, 0xB003_27C8_98FB_213F, 0xBF59_7FC7_BEEF_0EE4,
      0xC6E0_0BF3_3DA8_8FC2, 0xD5A7_9147_930A_A725, 0x06CA_6351_E003_826F, 0x1429_2967_0A0E_6E70,
      0x27B7_0A85_46D2_2FFC, 0x2E1B_2138_5C26_C926, 0x4D2C_6DFC_5AC4_2AED, 0x5338_0D13_9D95_B3DF,
      0x650A_7354_8BAF_63DE, 0x766A_0ABB_3C77_B2A8, 0x81C2_C92E_47ED_AEE6, 0x9272_2C85_1482_353B,
      0xA2BF_E8A1_4CF1_0364, 0xA81A_664B_BC42_3001, 0xC24B_8B70_D0F8_9791, 0xC76C_51A3_0654_BE30,
      0xD192_E819_D6EF_5218, 0xD699_0624_5565_A910, 0xF40E_3585_5771_202A, 0x106A_A070_32BB_D1B8,
      0x19A4_C116_B8D2_D0C8, 0x1E37_6C08_5141_AB53, 0x2748_774C_DF8E_EB99, 0x34B0_BCB5_E19B_48A8,
      0x391C_0CB3_C5C9_5A63, 0x4ED8_AA4A_E341_8ACB, 0x5B9C_CA4F_7763_E373, 0x682E_6FF3_D6B2_B8A3,
      0x748F_82EE_5DEF_B2FC, 0x78A5_636F_4317_2F60, 0x84C8_7814_A1F0_AB72, 0x8CC7_0208_1A64_39EC,
      0x90BE_FFFA_2363_1E28, 0xA450_6CEB_DE82_BDE9, 0xBEF9_A3F7_B2C6_7915, 0xC671_78F2_E372_532B,
      0xCA27_3ECE_EA26_619C, 0xD186_B8C7_21C0_C207, 0xEADA_7DD6_CDE0_EB1E, 0xF57D_4F7F_EE6E_D178,
      0x06F0_67AA_7217_6FBA, 0x0A63_7DC5_A2C8_98A6, 0x113F_9804_BEF9_0DAE, 0x1B71_0B35_131C_471B,
      0x28DB_77F5_2304_7D84, 0x32CA_AB7B_40C7_2493, 0x3C9E_BE0A_15C9_BEBC, 0x431D_67C4_9C10_0D4C,
      0x4CC5_D4BE_CB3E_42B6, 0x597F_299C_FC65_7E2A, 0x5FCB_6FAB_3AD6_FAEC, 0x6C44_198C_4A47_5817,
    ]

    static func sum0(_ word: UInt64) -> UInt64 {
      word.rotated(28) ^ word.rotated(34) ^ word.rotated(39)
    }

    static func sum1(_ word: UInt64) -> UInt64 {
      word.rotated(14) ^ word.rotated(18) ^ word.rotated(41)
    }

    static func sigma0(_ word: UInt64) -> UInt64 {
      word.rotated(1) ^ word.rotated(8) ^ word >> 7
    }

    static func sigma1(_ word: UInt64) -> UInt64 {
      word.rotated(19) ^ word.rotated(61) ^ word >> 6
    }
  }
#endif
