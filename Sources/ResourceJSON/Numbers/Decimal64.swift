/// A number as it is written: `digits` times ten to the power of `exponent`.
struct Decimal64 {
  /// At most 19 digits.
  var digits: UInt64 = 0
  var exponent = 0
  var isNegative = false
}

extension Decimal64 {
  /// The nearest `Double`; `nil` if only a slower algorithm can find it.
  @inline(__always)
  var double: Double? {
    guard let magnitude = magnitude() else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  @inline(__always)
  private func magnitude() -> Double? {
    // Both operands are exact, so that there is one rounding.
    if digits <= 1 << 53, -22...22 ~= exponent {
      let number = Double(digits)
      return exponent < 0 ? number / Self.power(-exponent) : number * Self.power(exponent)
    }
    return nearest()
  }

  @inline(__always)
  private static func power(_ exponent: Int) -> Double { powersOfTen[exponent] }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Multiplies by the first 128 bits of the power of five and sees whether that decides the
  /// rounding (Eisel and Lemire, "Number Parsing at a Gigabyte per Second", 2021). Returns `nil`
  /// for numbers that are subnormal, too large, or undecided.
  private func nearest() -> Double? {
    guard digits > 0, PowersOfFive.range.contains(exponent) else { return nil }
    let zeros = digits.leadingZeroBitCount
    let product = Self.product(digits &<< UInt64(zeros), exponent)
    guard product.low != .max || -27...55 ~= exponent else { return nil }
    let upper = Int(product.high &>> 63)
    let shift = UInt64(upper &+ 9)
    var significand = product.high &>> shift
    var power = ((217_706 &* exponent) >> 16) &+ 63 &+ upper &- zeros &+ 1023
    guard power > 0 else { return nil }
    // Just between two numbers: to the even one.
    if product.low <= 1, -4...23 ~= exponent, significand & 3 == 1,
      significand &<< shift == product.high
    {
      significand &= ~1
    }
    significand = (significand &+ (significand & 1)) &>> 1
    if significand >= 1 &<< 53 {
      significand = 1 &<< 52
      power &+= 1
    }
    guard power < 0x7FF else { return nil }
    return Double(bitPattern: UInt64(power) &<< 52 | significand & (1 &<< 52 &- 1))
  }

  @inline(__always)
  private static func product(_ digits: UInt64, _ exponent: Int) -> (high: UInt64, low: UInt64) {
    let power = PowersOfFive[exponent]
    var (high, low) = digits.multipliedFullWidth(by: power.high)
    if high & 0x1FF == 0x1FF {
      let (more, _) = digits.multipliedFullWidth(by: power.low)
      low &+= more
      if more > low { high &+= 1 }
    }
    return (high, low)
  }
}

extension JSONText {
  /// Reads a number that is known to follow the grammar; `nil` if it has more than 19 digits or an
  /// enormous exponent.
  @inline(__always)
  func decimal(at start: Int, _ length: Int) -> Decimal64? {
    var number = Decimal64()
    var offset = start
    let end = start &+ length
    if self[offset] == UInt8(ascii: "-") {
      number.isNegative = true
      offset &+= 1
    }
    // Zeros in front don't count.
    let first = offset
    offset = read(&number.digits, from: offset, to: end)
    var count = offset &- first
    if self[offset] == UInt8(ascii: "."), offset < end {
      let point = offset &+ 1
      offset = read(&number.digits, from: point, to: end)
      number.exponent = point &- offset
      count &+= offset &- point
    }
    if count > 19, count &- leadingZeros(at: first) > 19 { return nil }
    guard offset < end else { return number }
    guard let exponent = exponent(from: offset &+ 1, to: end) else { return nil }
    number.exponent &+= exponent
    return number
  }

  /// Appends digits to a number, which may overflow.
  @inline(__always)
  private func read(_ digits: inout UInt64, from start: Int, to end: Int) -> Int {
    var offset = start
    while let word = word(at: offset), offset &+ 8 <= end, word.isDigits {
      digits = digits &* 100_000_000 &+ word.numberOfDigits
      offset &+= 8
    }
    while offset < end {
      let digit = self[offset] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      digits = digits &* 10 &+ UInt64(digit)
      offset &+= 1
    }
    return offset
  }

  private func leadingZeros(at start: Int) -> Int {
    var offset = start
    var count = 0
    while true {
      switch self[offset] {
      case UInt8(ascii: "0"): count += 1
      case UInt8(ascii: "."): break
      default: return count
      }
      offset += 1
    }
  }

  private func exponent(from start: Int, to end: Int) -> Int? {
    var offset = start
    let isNegative = self[offset] == UInt8(ascii: "-")
    if isNegative || self[offset] == UInt8(ascii: "+") { offset &+= 1 }
    var exponent = 0
    while offset < end {
      exponent = exponent &* 10 &+ Int(self[offset] &- UInt8(ascii: "0"))
      guard exponent < 10_000 else { return nil }
      offset &+= 1
    }
    return isNegative ? -exponent : exponent
  }
}
