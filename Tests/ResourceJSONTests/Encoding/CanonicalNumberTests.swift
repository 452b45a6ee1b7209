import Foundation
import ResourceJSON
import ResourcePrimitives
import Testing

/// The numbers by which the authors of RFC 8785 have implementations tested: 100 million lines that
/// anyone can generate, with the hashes of what has to be written.
///
/// https://github.com/cyberphone/json-canonicalization/tree/master/testdata#es6-numbers
struct CanonicalNumberTests {
  @Test(arguments: [
    (1_000, "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687"),
    (10_000, "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892"),
  ])
  func `the published numbers are written as ECMAScript writes them`(
    count: Int, hash: String
  ) throws {
    let writer = JSONWriter(isCanonical: true)
    var numbers = PublishedNumbers()

    var published = RunningHash(bits: 256)
    for _ in 0..<count {
      let number = numbers.next()
      let text = String(decoding: try writer.encode(number), as: UTF8.self)
      published.update(Data("\(String(number.bitPattern, radix: 16)),\(text)\n".utf8))
    }

    let digits = published.finish().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    #expect(digits.joined() == hash)
  }
}

/// The published numbers: fixed ones, the smallest normal ones, and then any by a chain of hashes.
private struct PublishedNumbers {
  private var index = 0
  private var block = [UInt8](repeating: 0, count: 32)
  private var rest: ArraySlice<UInt8> = []

  mutating func next() -> Double {
    defer { index += 1 }
    if index < Self.fixed.count { return Double(bitPattern: Self.fixed[index]) }
    if index < Self.fixed.count + 2_000 {
      return Double(bitPattern: 0x0010_0000_0000_0000 + UInt64(index - Self.fixed.count))
    }
    while true {
      if rest.isEmpty {
        var hash = RunningHash(bits: 256)
        hash.update(Data(block))
        block = hash.finish()
        rest = block[...]
      }
      let bits = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      rest = rest.dropFirst(8)
      let number = Double(bitPattern: bits)
      if number.isFinite, number != 0 { return number }
    }
  }

  private static let fixed =
    [0, 1 << 63, 1, 1 << 63 | 1] + powers.map { $0 | 1 << 63 } + powers + others

  private static let powers: [UInt64] = [
    0x4466_9669_5DBD_1CC3, 0x4432_11ED_E497_4A35, 0x43FC_E97C_A0F2_1056, 0x43C7_2130_80C1_A6AC,
    0x4392_80F3_9A34_8556, 0x435D_9B1F_5D20_D557, 0x4327_AF4C_4A80_AAAC, 0x42F2_F2A3_6ECD_5556,
    0x42BE_5105_7E15_5558, 0x4288_40D1_31AA_AAAC, 0x4253_670D_C155_5557, 0x421F_0B49_3555_5557,
    0x41E8_D5D4_2AAA_AAAC, 0x41B3_DE43_5555_5556, 0x417F_CA05_5555_5556, 0x4149_6E6A_AAAA_AAAB,
    0x4114_5855_5555_5555, 0x40E0_46AA_AAAA_AAAB, 0x40AA_0AAA_AAAA_AAAA, 0x4074_D555_5555_5555,
    0x4040_AAAA_AAAA_AAAB, 0x400A_AAAA_AAAA_AAAB, 0x3FD5_5555_5555_5555, 0x3FA1_1111_1111_1111,
    0x3F6B_4E81_B4E8_1B4F, 0x3F35_D867_C3EC_E2A5, 0x3F01_79EC_9CBD_821E, 0x3ECB_F647_612F_3696,
    0x3E96_5E9F_80F2_9212, 0x3E61_E54C_6728_74DB, 0x3E2C_A213_D840_BAF8, 0x3DF6_E80F_E033_C8C6,
    0x3DC2_533F_E68F_D3D2, 0x3D8D_51FF_D74C_861C, 0x3D57_74CC_AC3D_3817, 0x3D22_C3D6_F030_F9AC,
    0x3CEE_0624_B381_8F79, 0x3CB8_04EA_2934_72C7, 0x3C83_3721_BA90_5BD3, 0x3C4E_BE9C_5DB3_C61E,
    0x3C18_987D_17C3_04E5, 0x3BE3_AD30_DFCF_371D, 0x3BAF_7B81_6618_582F, 0x3B79_2F9A_B813_79BF,
    0x3B44_2615_600F_9499, 0x3B10_1E77_800C_76E1, 0x3AD9_CA58_CCE0_BE35, 0x3AA4_A1E0_A3E6_FE90,
    0x3A70_8180_831F_320D, 0x3A3A_68CD_9E98_5016,
  ]

  private static let others: [UInt64] = [
    0x4024_0000_0000_0000, 0x4014_0000_0000_0000, 0x3FE0_0000_0000_0000, 0x3FA9_9999_9999_999A,
    0x3F74_7AE1_47AE_147B, 0x3F40_624D_D2F1_A9FC, 0x3F0A_36E2_EB1C_432D, 0x3ED4_F8B5_88E3_68F1,
    0x3EA0_C6F7_A0B5_ED8D, 0x3E6A_D7F2_9ABC_AF48, 0x3E35_798E_E230_8C3A, 0x3ED5_3922_3589_FA95,
    0x3ED4_FF26_CD5A_7781, 0x3ED4_F95A_7622_83FF, 0x3ED4_F8C6_0703_520C, 0x3ED4_F8B7_2F19_CD0D,
    0x3ED4_F8B5_B31C_0C8D, 0x3ED4_F8B5_8D1C_461A, 0x3ED4_F8B5_894F_7F0E, 0x3ED4_F8B5_88EE_37F3,
    0x3ED4_F8B5_88E4_7DA4, 0x3ED4_F8B5_88E3_849C, 0x3ED4_F8B5_88E3_6BB5, 0x3ED4_F8B5_88E3_6937,
    0x3ED4_F8B5_88E3_68F8, 0x3ED4_F8B5_88E3_68F1, 0x3FF0_0000_0000_0000, 0xBFF0_0000_0000_0000,
    0xBFEF_FFFF_FFFF_FFFA, 0xBFEF_FFFF_FFFF_FFFB, 0x3FEF_FFFF_FFFF_FFFA, 0x3FEF_FFFF_FFFF_FFFB,
    0x3FEF_FFFF_FFFF_FFFC, 0x3FEF_FFFF_FFFF_FFFE, 0xBFEF_FFFF_FFFF_FFFF, 0xBFEF_FFFF_FFFF_FFFF,
    0x3FEF_FFFF_FFFF_FFFF, 0x3FEF_FFFF_FFFF_FFFF, 0x3FD3_3333_3333_3332, 0x3FD3_3333_3333_3333,
    0x3FD3_3333_3333_3334, 0x0010_0000_0000_0000, 0x000F_FFFF_FFFF_FFFD, 0x000F_FFFF_FFFF_FFFF,
    0x7FEF_FFFF_FFFF_FFFF, 0xFFEF_FFFF_FFFF_FFFF, 0x4340_0000_0000_0000, 0xC340_0000_0000_0000,
    0x4430_0000_0000_0000, 0x44B5_2D02_C7E1_4AF5, 0x44B5_2D02_C7E1_4AF6, 0x44B5_2D02_C7E1_4AF7,
    0x444B_1AE4_D6E2_EF4E, 0x444B_1AE4_D6E2_EF4F, 0x444B_1AE4_D6E2_EF50, 0x3EB0_C6F7_A0B5_ED8C,
    0x3EB0_C6F7_A0B5_ED8D, 0x41B3_DE43_5555_5553, 0x41B3_DE43_5555_5554, 0x41B3_DE43_5555_5555,
    0x41B3_DE43_5555_5556, 0x41B3_DE43_5555_5557, 0xBECB_F647_612F_3696, 0x4314_3FF3_C1CB_0959,
  ]
}
