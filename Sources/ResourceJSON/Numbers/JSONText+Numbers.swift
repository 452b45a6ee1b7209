internal import Foundation

extension JSONText {
  /// Reads a number of digits, with or without a minus sign; `nil` if it is longer than 18 bytes.
  @inline(__always)
  func shortInteger(at start: Int, _ length: Int) -> Int64? {
    guard length <= 18 else { return nil }
    let isNegative = self[start] == UInt8(ascii: "-")
    let digits = (isNegative ? start &+ 1 : start)..<(start &+ length)
    let magnitude = Int64(truncatingIfNeeded: wordwise(digits) ?? bytewise(digits))
    return isNegative ? 0 &- magnitude : magnitude
  }

  /// Reads a range of digits, eight at a time; `nil` for more than 16, or too near the beginning of
  /// the text.
  @inline(__always)
  private func wordwise(_ digits: Range<Int>) -> UInt64? {
    guard digits.count <= 16, let last = word(at: digits.upperBound &- 8) else { return nil }
    guard digits.count > 8 else { return last.number(ofLast: digits.count) }
    guard let first = word(at: digits.upperBound &- 16) else { return nil }
    return first.number(ofLast: digits.count &- 8) &* 100_000_000 &+ last.numberOfDigits
  }

  @inline(never)
  private func bytewise(_ digits: Range<Int>) -> UInt64 {
    digits.reduce(0) { $0 &* 10 &+ UInt64(self[$1] &- UInt8(ascii: "0")) }
  }

  /// Reads any number as one of a type; `nil` if it doesn't fit, or isn't whole.
  ///
  /// Foundation reads `1.0` and `1e2` as whole numbers, too: those that are whole as a `Double` up
  /// to 2^53, and beyond that as a `Decimal`.
  @inline(never)
  func integer<Number: FixedWidthInteger>(
    at offset: Int, _ length: Int, _ type: Number.Type
  ) -> Number? {
    let text = string(at: offset, length, isASCII: true)
    if let number = Number(text) { return number }
    guard let double = Double(text), let number = Number(exactly: double) else { return nil }
    if double.magnitude < 0x1p53 { return number }
    return Decimal(string: text).flatMap { Number("\($0)") }
  }

  /// Returns the `Double` that is nearest to a number; `nil` if there is none, or only 0 for one
  /// that isn't 0.
  @inline(__always)
  func double(at offset: Int, _ length: Int) -> Double? {
    decimal(at: offset, length)?.double ?? slowDouble(at: offset, length)
  }

  @inline(never)
  private func slowDouble(at offset: Int, _ length: Int) -> Double? {
    let text = string(at: offset, length, isASCII: true)
    guard let number = Double(text), number.isFinite else { return nil }
    return number != 0 || isZero(text) ? number : nil
  }

  /// Returns the `Float` that is nearest to a number; `nil` as for a `Double`.
  func float(at offset: Int, _ length: Int) -> Float? {
    if let double = decimal(at: offset, length)?.double {
      let float = Float(double)
      // Half way between two, the digits that are lost might have decided.
      if double.bitPattern & 0x1FFF_FFFF != 0x1000_0000, float.isNormal { return float }
    }
    let text = string(at: offset, length, isASCII: true)
    guard let number = Float(text), number.isFinite else { return nil }
    return number != 0 || isZero(text) ? number : nil
  }

  /// Returns whether a number has no digit but 0 before its exponent.
  private func isZero(_ text: String) -> Bool {
    text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy {
      !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0)
    }
  }

  /// Returns a number as a `Decimal`; `nil` if it has none.
  func decimalNumber(at offset: Int, _ length: Int) -> Decimal? {
    Decimal(string: string(at: offset, length, isASCII: true), locale: nil)
  }
}

/// Eight bytes of text as one word, the first of them in the lowest bits.
extension UInt64 {
  /// Whether all eight bytes are ASCII digits.
  @inline(__always)
  var isDigits: Bool {
    (self & 0xF0F0_F0F0_F0F0_F0F0)
      | (((self &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0) &>> 4)
      == 0x3333_3333_3333_3333
  }

  /// The number that eight ASCII digits stand for, the first of them in the lowest byte.
  @inline(__always)
  var numberOfDigits: UInt64 {
    var pairs = self &- 0x3030_3030_3030_3030
    pairs = (pairs &* 10) &+ (pairs &>> 8)
    let mask: UInt64 = 0x0000_00FF_0000_00FF
    let low = (pairs & mask) &* 0x000F_4240_0000_0064
    let high = ((pairs &>> 16) & mask) &* 0x0000_2710_0000_0001
    return (low &+ high) &>> 32
  }

  /// The number that the last 1 to 8 bytes stand for, which are ASCII digits.
  @inline(__always)
  func number(ofLast count: Int) -> UInt64 {
    let others = (1 &<< UInt64(truncatingIfNeeded: (8 &- count) &* 8)) &- 1 as UInt64
    return (self & ~others | 0x3030_3030_3030_3030 & others).numberOfDigits
  }
}
