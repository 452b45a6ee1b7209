/// The first 128 bits of the powers of five that `Double` needs, from 5^-342 to 5^308.
///
/// They are worked out when the first number needs one, which takes a tenth of a millisecond.
/// Negative powers up to 5^-27 are rounded up, all others down, as the proof in "Number Parsing at
/// a Gigabyte per Second" (Daniel Lemire, 2021) has it.
enum PowersOfFive {
  static let range = -342...308

  /// The high and low half of each power in turn, the highest bit set.
  private static let halves: [UInt64] = {
    var negative = reciprocals.reversed().flatMap { [$0.high, $0.low] }
    for power in powers { negative += [power.high, power.low] }
    return negative
  }()

  @inline(__always)
  static subscript(exponent: Int) -> (high: UInt64, low: UInt64) {
    let position = (exponent &+ 342) &* 2
    return (halves[position], halves[position &+ 1])
  }

  /// 5^0 to 5^308.
  private static var powers: [(high: UInt64, low: UInt64)] {
    var number: [UInt64] = [1]
    return (0...308).map { _ in
      let top = top(of: number)
      var carry: UInt64 = 0
      for position in number.indices {
        let (high, low) = number[position].multipliedFullWidth(by: 5)
        let (sum, overflows) = low.addingReportingOverflow(carry)
        number[position] = sum
        carry = high + (overflows ? 1 : 0)
      }
      if carry > 0 { number.append(carry) }
      return top
    }
  }

  /// 5^-1 to 5^-342, each as the part of 2^1984 that it is.
  private static var reciprocals: [(high: UInt64, low: UInt64)] {
    var number = [UInt64](repeating: 0, count: 31) + [1]
    return (1...342).map { exponent in
      var remainder: UInt64 = 0
      for position in number.indices.reversed() {
        (number[position], remainder) = UInt64(5).dividingFullWidth((remainder, number[position]))
      }
      var top = top(of: number)
      guard exponent <= 27 else { return top }
      top.low &+= 1
      if top.low == 0 { top.high += 1 }
      return top
    }
  }

  /// The first 128 bits of a number whose lowest word comes first.
  private static func top(of number: [UInt64]) -> (high: UInt64, low: UInt64) {
    var words = Array(number.reversed().drop { $0 == 0 }.prefix(3))
    words += [UInt64](repeating: 0, count: 3 - words.count)
    let shift = UInt64(words[0].leadingZeroBitCount)
    guard shift > 0 else { return (words[0], words[1]) }
    return (
      words[0] << shift | words[1] >> (64 - shift), words[1] << shift | words[2] >> (64 - shift)
    )
  }
}
