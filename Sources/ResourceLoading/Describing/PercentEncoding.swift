/// Percent-encoding with a set of bytes that stay (RFC 3986 section 2.1).
struct PercentEncoding: Sendable {
  private let keeps: [Bool]

  private init(keeping extra: String) {
    var keeps = [Bool](repeating: false, count: 256)
    for byte in UInt8(ascii: "a")...UInt8(ascii: "z") { keeps[Int(byte)] = true }
    for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { keeps[Int(byte)] = true }
    for byte in UInt8(ascii: "0")...UInt8(ascii: "9") { keeps[Int(byte)] = true }
    for byte in extra.utf8 { keeps[Int(byte)] = true }
    self.keeps = keeps
  }

  /// Keeps what RFC 3986 section 2.3 calls unreserved, nothing else.
  static let unreserved = PercentEncoding(keeping: "-._~")

  /// Keeps slashes and what may stand in a path segment, but for `:`, which a relative path must not show
  /// in its first one (RFC 3986 section 3.3).
  static let path = PercentEncoding(keeping: "-._~!$&'()*+,;=@/")

  func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if keeps[Int(byte)] {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
