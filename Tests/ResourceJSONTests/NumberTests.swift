import Foundation
import ResourceJSON
import Testing

struct NumberTests {
  @Test func `random doubles are read back to the last bit`() throws {
    var random = Seeded(1)
    for _ in 0..<100 {
      let numbers = (0..<1_000).map { _ in Double(bitPattern: random.next()) }.filter {
        $0.isFinite && $0 != 0
      }
      let text = "[" + numbers.map { "\($0)" }.joined(separator: ",") + "]"

      let read = try JSONReader().decode([Double].self, from: Data(text.utf8))

      #expect(read.map(\.bitPattern) == numbers.map(\.bitPattern))
    }
  }

  @Test func `random decimals of any length are what the C library reads`() throws {
    var random = Seeded(2)
    for _ in 0..<20_000 {
      let length = Int.random(in: 1...30, using: &random)
      let point = Int.random(in: 0..<length, using: &random)
      var digits = "\(Int.random(in: 1...9, using: &random))"
      for position in 1..<max(length, 2) {
        if position == point { digits += "." }
        digits += "\(Int.random(in: 0...9, using: &random))"
      }
      let text = "\(digits)e\(Int.random(in: -330...300, using: &random))"
      let expected = try #require(Double(text))
      guard expected.isFinite, expected != 0 else { continue }

      let read = try JSONReader().decode(Double.self, from: Data(text.utf8))

      #expect(read.bitPattern == expected.bitPattern, "\(text)")
    }
  }

  @Test(arguments: [
    "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9406564584124654e-324",
    "1.7976931348623157e308",
    "1.7976931348623158e308", "9007199254740993", "9007199254740992.99999999999999999",
    "9007199254740993.00000000000000000001",
    "0.1", "0.3", "123456789012345678901234567890", "1e23", "8.5e22", "7205759403792793199999e-5",
    "922337203685477580e0",
    "6.02214076e23", "1.00000000000000011102230246251565404236316680908203125", "5e-324",
    "2.4703282292062328e-324",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    "0.000061035156250000000000000000000000000000000000000001",
    "9355950000000000000.00000000000000000000000000000000001844674407370955161600000184467440737095516161844674407370955161407370955161618446744073709551616000184467440737095516166000001844674407370955161618446744073709551614073709551616184467440737095516160001844674407370955161601844674407370955674451616184467440737095516140737095516161844674407370955161600018446744073709551616018446744073709551611616000184467440737095001844674407370955161600184467440737095516160018446744073709551168164467440737095516160001844073709551616018446744073709551616184467440737095516160001844674407536910751601611616000184467440737095001844674407370955161600184467440737095516160018446744073709551616184467440737095516160001844955161618446744073709551616000184467440753691075160018446744073709",
    "3.3e-100", "8.98846567431158e307", "-123.456e-7", "0e0", "-0.0", "1e-307",
    "30078505129381147446200", "1777820000000000000001",
    "0.500000000000000166533453693773481063544750213623046875",
    "3.2378839133029012895883524125015321748630094718556e-150",
  ])
  func `the hard cases are what the C library reads`(text: String) throws {
    let read = try JSONReader().decode(Double.self, from: Data(text.utf8))

    #expect(read.bitPattern == Double(text)?.bitPattern)
  }

  @Test func `random floats are read back to the last bit`() throws {
    var random = Seeded(3)
    for _ in 0..<20 {
      let numbers = (0..<1_000).map { _ in
        Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      }.filter { $0.isFinite && $0 != 0 }
      let text = "[" + numbers.map { "\($0)" }.joined(separator: ",") + "]"

      let read = try JSONReader().decode([Float].self, from: Data(text.utf8))

      #expect(read.map(\.bitPattern) == numbers.map(\.bitPattern))
    }
  }

  @Test func `floats half way between two are rounded once`() throws {
    var random = Seeded(4)
    for _ in 0..<4_000 {
      let float = Float(bitPattern: UInt32.random(in: 0x3000_0000...0x5000_0000, using: &random))
      let middle = (Double(float) + Double(float.nextUp)) / 2
      for text in ["\(middle)", "\(middle.nextUp)", "\(middle.nextDown)"] {
        #expect(try JSONReader().decode(Float.self, from: Data(text.utf8)) == Float(text))
      }
    }
  }

  @Test func `integers of every width are read up to their limits, and no further`() throws {
    func check<Number: FixedWidthInteger & Decodable & Sendable>(_ type: Number.Type) throws {
      for number in [Number.min, .max, 0, 1, .max / 3, .min / 3] {
        #expect(try JSONReader().decode(type, from: Data("\(number)".utf8)) == number)
      }
      for text in ["\(Number.max)0", "-\(Number.max)0", "0.5", "1e300"] {
        #expect(throws: DecodingError.self) { try JSONReader().decode(type, from: Data(text.utf8)) }
      }
    }
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(Int.self)
    try check(Int128.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
    try check(UInt.self)
    try check(UInt128.self)
  }

  @Test func `numbers of any form become the Decimal and the integers that JSONDecoder makes`() {
    var generator = Generator(5)
    for _ in 0..<3_000 {
      let text = Data(generator.number().utf8)
      for (ours, foundation) in [
        Outcome.both(Decimal.self, text), Outcome.both(Int.self, text),
        Outcome.both(Int16.self, text), Outcome.both(UInt64.self, text),
        Outcome.both(Float.self, text),
      ] {
        #expect(ours.agrees(with: foundation), "\(String(decoding: text, as: UTF8.self))")
      }
    }
  }

  @Test func `whole numbers of 128 bits may have an exponent`() throws {
    let text = Data("[1e30, 170141183460469231731687303715884105727]".utf8)
    #expect(
      try JSONReader().decode([Int128].self, from: text) == [
        1_000_000_000_000_000_000_000_000_000_000, .max,
      ])
  }

  @Test func `zero with an exponent is zero`() throws {
    let text = Data("[0e5, 0E-7, -0e400]".utf8)
    #expect(try JSONReader().decode([Double].self, from: text) == [0, 0, 0])
  }

  @Test(arguments: ["9223901234567890.5", "-9007199254740993.25", "90071992547409931e-1"])
  func `an integer beyond 2^53 never loses a fraction`(text: String) {
    // Foundation drops it.
    #expect(throws: DecodingError.self) {
      try JSONReader().decode(Int64.self, from: Data(text.utf8))
    }
  }

  @Test func `an integer beyond 2^53 may be written with a fraction of zeros`() throws {
    let text = Data("[9007199254740993.0, 90071992547409930e-1]".utf8)
    #expect(
      try JSONReader().decode([Int64].self, from: text) == [
        9_007_199_254_740_993, 9_007_199_254_740_993,
      ])
  }
}
