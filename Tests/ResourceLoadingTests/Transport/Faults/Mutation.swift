import Foundation
import ResourceTesting

/// Damages responses at random.
struct Mutation {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Responses with many features.
  static let responses: [[UInt8]] = [
    Array("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello".utf8),
    Array(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"
        .utf8),
    Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\nwhat?".utf8),
    Array("HTTP/1.1 302 Found\r\nLocation: /x\r\nSet-Cookie: a=b; Path=/\r\n\r\n".utf8),
    Array(
      "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"
        .utf8),
    Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n".utf8)
      + Fault.gzip,
    Array("HTTP/1.1 200 OK\r\nContent-Encoding: deflate, gzip\r\n\r\n".utf8) + Fault.gzip,
    Array("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n".utf8) + Fault.deflate,
  ]

  /// One of them, damaged in one to four places.
  mutating func next() -> [UInt8] {
    var bytes = Self.responses.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...4, using: &random) { damage(&bytes) }
    return bytes
  }

  private mutating func damage(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let start = Int.random(in: bytes.indices, using: &random)
    let end = min(bytes.count, start + Int.random(in: 1...8, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes[start] = .random(in: .min ... .max, using: &random)
    case 1: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: bytes.removeSubrange(start..<end)
    case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
    case 4: bytes.removeSubrange(start...)
    case 5: bytes.insert(contentsOf: "\r\n".utf8, at: start)
    case 6:
      bytes.insert(contentsOf: "\(Int.random(in: -9...99_999, using: &random))".utf8, at: start)
    default:
      let other = Self.responses.randomElement(using: &random) ?? []
      bytes.replaceSubrange(start..., with: other.suffix(other.count / 2))
    }
  }
}
