/// A response, ready to be written.
final class Answer: Sendable {
  /// The target that is answered so, without its query.
  let path: [UInt8]
  /// The head, and the body if it is kept whole.
  private let beginning: [UInt8]
  /// What the rest of the body repeats.
  private let block: [UInt8]
  /// The number of bytes in all.
  let count: Int

  private init(_ path: String, head: String, body: [UInt8] = [], zeros: Int = 0) {
    self.path = Array(path.utf8)
    beginning = Array(head.utf8) + body
    block = [UInt8](repeating: 0, count: min(zeros, 1 << 20))
    count = beginning.count + zeros
  }
}

extension Answer {
  convenience init(_ path: String, json: String) {
    self.init(path, head: Self.head("application/json", json.utf8.count), body: Array(json.utf8))
  }

  /// A body of zeros that isn't kept.
  convenience init(_ path: String, zeros: Int) {
    self.init(path, head: Self.head("application/octet-stream", zeros), zeros: zeros)
  }

  static let notFound = Answer("", head: head("text/plain", 0, status: "404 Not Found"))

  private static func head(_ type: String, _ size: Int, status: String = "200 OK") -> String {
    let fields = "Server: bench\r\nContent-Type: \(type)\r\nContent-Length: \(size)\r\n"
    return "HTTP/1.1 \(status)\r\n\(fields)Connection: keep-alive\r\n\r\n"
  }

  /// Passes the longest run of bytes that lie together from a position on.
  func withBytes<Result>(from offset: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard offset >= beginning.count else {
      return beginning.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }
    return block.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[..<min($0.count, count - offset)]))
    }
  }
}
