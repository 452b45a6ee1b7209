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
    var work = state
    for (word, constant) in zip(words, constants) {
      let (a, e) = (work[0], work[4])
      let sum1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
      let choice = e & work[5] ^ ~e & work[6]
      let first = work[7] &+ sum1 &+ choice &+ constant &+ word
      let sum0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
      let majority = a & work[1] ^ a & work[2] ^ work[1] & work[2]
      work = [
        first &+ sum0 &+ majority, a, work[1], work[2], work[3] &+ first, e, work[5], work[6],
      ]
    }
    for index in state.indices { state[index] &+= work[index] }
  }

  private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
    let bytes = Array(block)
    var words = (0..<16).map { index in
      bytes[index * 4..<index * 4 + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
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
