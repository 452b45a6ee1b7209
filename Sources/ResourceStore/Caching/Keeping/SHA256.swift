/// The hash function of FIPS 180-4, for names that don't give away what they were made of.
package enum SHA256 {
  /// The hash in 64 hexadecimal digits.
  package static func hexadecimal(of bytes: some Collection<UInt8>) -> String {
    var state = initial
    let message = padded(bytes)
    for start in stride(from: 0, to: message.count, by: 64) {
      compress(message[start..<start + 64], into: &state)
    }
    return state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  /// The message, a one, zeros, and the number of its bits, in whole blocks (section 5.1.1).
  private static func padded(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var message = Array(bytes)
    let bitCount = UInt64(message.count) * 8
    message.append(0x80)
    message += Array(repeating: 0, count: (120 - message.count % 64) % 64)
    message += stride(from: 56, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: bitCount >> $0)
    }
    return message
  }

  /// Section 6.2.2.
  private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    let words = schedule(block)
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

  private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
    var words: [UInt32] = []
    words.reserveCapacity(64)
    for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let sigma0 = early.rotated(7) ^ early.rotated(18) ^ early >> 3
      let sigma1 = late.rotated(17) ^ late.rotated(19) ^ late >> 10
      words.append(words[index - 16] &+ sigma0 &+ words[index - 7] &+ sigma1)
    }
    return words
  }
}

extension SHA256 {
  private static let primes: [Int] = {
    (2...311).filter { number in (2..<number).allSatisfy { !number.isMultiple(of: $0) } }
  }()

  /// The first 32 bits of the fractions of square roots of primes (section 5.3.3).
  private static let initial = primes.prefix(8).map { fraction(Double($0).squareRoot()) }

  /// The same of cube roots of more primes (section 4.2.2).
  private static let constants = primes.map { fraction(cubeRoot(Double($0))) }

  private static func fraction(_ number: Double) -> UInt32 {
    UInt32((number - number.rounded(.down)) * 4_294_967_296)
  }

  /// By Newton's method, exact enough for 32 bits of a number below 7.
  private static func cubeRoot(_ number: Double) -> Double {
    (0..<60).reduce(number) { root, _ in root - (root * root * root - number) / (3 * root * root) }
  }
}

extension UInt32 {
  fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
