import Foundation
import ResourceJSON
import Testing

/// Numbers that are hard to read: between two doubles, or so near to the middle that the last of
/// hundreds of digits decides.
struct HardDoubleTests {
  /// Ones that have shown faults in readers: of PHP and Java (2.2250738585072011e-308 and
  /// …12e-308), of David Gay's and others' rounding, and those of V. Paxson, "A Program for Testing
  /// IEEE Decimal–Binary Conversion" (1991), tables 3 and 4, which are as near to the middle of two
  /// doubles as numbers of so many digits can be.
  @Test(
    arguments: [
      ("1e23", 0x44B5_2D02_C7E1_4AF6), ("8.5e22", 0x44B1_FFDB_F6B2_B2EB),
      ("9007199254740991", 0x433F_FFFF_FFFF_FFFF), ("9007199254740992", 0x4340_0000_0000_0000),
      ("9007199254740993", 0x4340_0000_0000_0000), ("9007199254740994", 0x4340_0000_0000_0001),
      ("9007199254740995", 0x4340_0000_0000_0002),
      ("9007199254740993.0000000000000000000000000000000000001", 0x4340_0000_0000_0001),
      ("2.2250738585072011e-308", 0x000F_FFFF_FFFF_FFFF),
      ("2.2250738585072012e-308", 0x0010_0000_0000_0000),
      ("2.2250738585072014e-308", 0x0010_0000_0000_0000),
      ("4.9406564584124654e-324", 1), ("2.4703282292062328e-324", 1), ("5e-324", 1),
      ("1.7976931348623157e308", 0x7FEF_FFFF_FFFF_FFFF),
      ("1.7976931348623158e308", 0x7FEF_FFFF_FFFF_FFFF),
      ("-0.0", 0x8000_0000_0000_0000), ("0e400", 0),
    ] as [(String, UInt64)])
  func `known hard numbers have the bits that were published`(text: String, bits: UInt64) throws {
    #expect(try read(text).bitPattern == bits)
  }

  @Test(arguments: [
    "5e125", "69e267", "999e-26", "7861e-34", "75569e-254", "928609e-261", "9210917e80",
    "84863171e114", "653777767e273", "5232604057e-298", "27235667517e-109", "653532977297e-123",
    "3142213164987e-294", "46202199371337e-72", "231010996856685e-73", "9324754620109615e212",
    "78459735791271921e49", "272104041512242479e200", "6802601037806061975e198",
    "20505426358836677347e-221", "836168422905420598437e-234", "4891559871276714924261e222",
    "9e-265", "85e-37", "623e100", "3571e263", "81661e153", "920657e-23", "4603285e-24",
    "87575437e-309", "245540327e122", "6138508175e120", "83356057653e193", "619534293513e124",
    "2335141086879e218", "36167929443327e-159", "609610927149051e-255", "3743626360493413e-165",
    "94080055902682397e-242", "899810892172646163e283", "7120190517612959703e120",
    "25188282901709339043e-252", "308984926168550152811e-52", "6372891218502368041059e64",
  ])
  func `Paxson's numbers are what the C library reads`(text: String) throws {
    #expect(try read(text).bitPattern == Double(text)?.bitPattern)
  }

  @Test func `the middle of two doubles becomes the even one, and a digit decides otherwise`()
    throws
  {
    var random = Seeded(6)
    // Half of the least double is 0, which is out of range.
    for number in 1..<1_200 {
      let double = Self.double(number, &random)
      let middle = Exact(middleAbove: double)
      let even = double.significandBitPattern % 2 == 0 ? double : double.nextUp

      #expect(try read(middle.text) == even, "\(middle.text)")
      #expect(try read(middle.text(then: "1")) == double.nextUp, "\(middle.text)")
      #expect(try read(middle.textBelow) == double, "\(middle.text)")
    }
  }

  @Test func `all digits of a double, up to 767, are read back`() throws {
    var random = Seeded(7)
    for number in 0..<600 {
      let double = Self.double(number, &random)
      let text = Exact(double).text

      #expect(try read(text) == double, "\(text)")
      #expect(try read("-" + text) == -double, "\(text)")
    }
  }

  @Test func `zeros in front, behind and in the exponent change nothing`() throws {
    let zeros = String(repeating: "0", count: 800)
    #expect(try read("1.5" + zeros) == 1.5)
    #expect(try read("0." + zeros + "15e801") == 1.5)
    #expect(try read("15" + zeros + "e-801") == 1.5)
    #expect(try read("15e-" + zeros + "1") == 1.5)
    #expect(try read("1" + zeros + "1e-801") == 1)
  }

  /// Normal and subnormal ones, and those at the limits of both.
  private static func double(_ number: Int, _ random: inout Seeded) -> Double {
    switch number {
    case 0: 0
    case 1: Double.leastNonzeroMagnitude
    case 2: Double.leastNormalMagnitude.nextDown
    case 3: Double.leastNormalMagnitude
    case 4: Double.greatestFiniteMagnitude.nextDown
    default:
      Double(
        bitPattern: number % 4 == 0
          ? random.next() >> 12 : UInt64.random(in: 1..<0x7FEF_FFFF_FFFF_FFFF, using: &random))
    }
  }

  private func read(_ text: String) throws -> Double {
    try JSONReader().decode(Double.self, from: Data(text.utf8))
  }
}

/// A number with all of its decimal digits: `digits` times ten to the power of `exponent`.
private struct Exact {
  private let digits: [UInt8]
  private let exponent: Int

  init(_ double: Double) { self.init(double.wholeSignificand, double.wholeExponent) }

  init(middleAbove double: Double) {
    self.init(double.wholeSignificand * 2 + 1, double.wholeExponent - 1)
  }

  /// A number times two to a power; if that is negative, times five to the same, and ten to the
  /// power.
  private init(_ number: UInt64, _ power: Int) {
    // Nine digits each, the last first.
    var parts: [UInt64] = []
    var rest = number
    repeat {
      parts.append(rest % 1_000_000_000)
      rest /= 1_000_000_000
    } while rest > 0
    var left = abs(power)
    while left > 0 {
      let step = min(left, 12)
      let factor = (0..<step).reduce(1 as UInt64) { product, _ in product * (power < 0 ? 5 : 2) }
      var carry: UInt64 = 0
      for index in parts.indices {
        let product = parts[index] * factor + carry
        (carry, parts[index]) = product.quotientAndRemainder(dividingBy: 1_000_000_000)
      }
      if carry > 0 { parts.append(carry) }
      left -= step
    }
    let texts = parts.reversed().map { String($0) }
    let zeros = texts.map { String(repeating: "0", count: 9 - $0.count) }
    digits = Array((texts[0] + zip(zeros, texts).dropFirst().map { $0 + $1 }.joined()).utf8)
    exponent = min(power, 0)
  }

  var text: String { text(then: "") }

  /// With more digits behind the last.
  func text(then more: String) -> String {
    "\(String(decoding: digits, as: UTF8.self))\(more)e\(exponent - more.count)"
  }

  /// Less by a tenth of the last digit.
  var textBelow: String {
    var below = digits + [UInt8(ascii: "0")]
    var index = below.count - 1
    while below[index] == UInt8(ascii: "0") {
      below[index] = UInt8(ascii: "9")
      index -= 1
    }
    below[index] -= 1
    return "\(String(decoding: below, as: UTF8.self))e\(exponent - 1)"
  }
}

extension Double {
  /// The whole number that this is times two to the power of ``wholeExponent``.
  fileprivate var wholeSignificand: UInt64 {
    isNormal ? significandBitPattern | 1 << 52 : significandBitPattern
  }

  fileprivate var wholeExponent: Int {
    (isNormal ? Int(exponentBitPattern) : 1) - 1075
  }
}
