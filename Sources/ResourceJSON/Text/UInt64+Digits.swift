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
