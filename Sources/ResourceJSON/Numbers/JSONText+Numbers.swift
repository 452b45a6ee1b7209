internal import Foundation

extension JSONText {
  /// Reads digits, maybe behind a minus, of a number of at most 18 of them; `nil` for a longer one.
  @inline(__always)
  func shortInteger(at start: Int, _ length: Int) -> Int64? {
    guard length <= 18 else { return nil }
    var offset = start
    let end = start &+ length
    let isNegative = self[offset] == UInt8(ascii: "-")
    if isNegative { offset &+= 1 }
    var number: Int64 = 0
    while offset < end {
      number = number &* 10 &+ Int64(self[offset] &- UInt8(ascii: "0"))
      offset &+= 1
    }
    return isNegative ? 0 &- number : number
  }

  /// Reads any number as one of a type; `nil` if it doesn't fit, or isn't whole.
  ///
  /// Foundation takes `1.0` and `1e2` for whole numbers, too: what a `Double` shows to be whole up to 2^53, and beyond that
  /// what a `Decimal` shows.
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

  /// The `Double` that is nearest to a number; `nil` if there is none, or only 0 for one that isn't 0.
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

  /// The `Float` that is nearest to a number; `nil` as for a `Double`.
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

  /// Whether a number has no digit but 0 before its exponent.
  private func isZero(_ text: String) -> Bool {
    text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy {
      !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0)
    }
  }

  /// A number as a `Decimal`; `nil` if it has none.
  func decimalNumber(at offset: Int, _ length: Int) -> Decimal? {
    Decimal(string: string(at: offset, length, isASCII: true), locale: nil)
  }
}
