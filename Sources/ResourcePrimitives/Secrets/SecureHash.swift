package import Foundation

/// Hashes that don't reveal their input: SHA-256 (FIPS 180-4), and HMAC with it (RFC 2104).
package enum SecureHash {
  /// Returns the 32 bytes of the SHA-256 hash.
  package static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = RunningHash(bits: 256)
    hash.update(Data(bytes))
    return hash.finish()
  }

  /// Returns the 32 bytes of HMAC-SHA-256, which can't be computed without the key, and don't
  /// reveal the message. The key has at most 64 bytes.
  package static func hmac(_ message: some Sequence<UInt8>, key: some Collection<UInt8>) -> [UInt8]
  {
    let block = Array(key.prefix(64)) + Array(repeating: 0, count: max(0, 64 - key.count))
    let inner = sha256(block.map { $0 ^ 0x36 } + message)
    return sha256(block.map { $0 ^ 0x5C } + inner)
  }

  /// Returns bytes as hexadecimal digits in lower case, two each.
  package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Data {
  /// Reads hexadecimal digits, two for each byte; `nil` if there is anything else.
  package init?(hexadecimal digits: some Collection<UInt8>) {
    let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard values.count == digits.count, values.count % 2 == 0 else { return nil }
    self.init(
      stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) })
  }
}
