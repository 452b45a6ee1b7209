/// A response, ready to be written.
struct Answer {
  /// The head, and the body if it is kept whole.
  private let beginning: [UInt8]
  /// What the rest of the body repeats.
  private let block: [UInt8]
  /// How many bytes there are in all.
  let count: Int
}

extension Answer {
  init(json: String) {
    self.init("application/json", Array(json.utf8))
  }

  /// A body of zeros that isn't kept.
  init(zeros size: Int) {
    beginning = Self.head("application/octet-stream", size)
    block = [UInt8](repeating: 0, count: 1 << 20)
    count = beginning.count + size
  }

  static let notFound = Answer("text/plain", [], status: "404 Not Found")

  private init(_ type: String, _ body: [UInt8], status: String = "200 OK") {
    beginning = Self.head(type, body.count, status) + body
    block = []
    count = beginning.count
  }

  private static func head(_ type: String, _ size: Int, _ status: String = "200 OK") -> [UInt8] {
    let fields = "Server: bench\r\nContent-Type: \(type)\r\nContent-Length: \(size)\r\n"
    return Array("HTTP/1.1 \(status)\r\n\(fields)Connection: keep-alive\r\n\r\n".utf8)
  }

  /// Hands out what lies together from a position on.
  func withBytes<Result>(from offset: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard offset >= beginning.count else {
      return beginning.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }
    return block.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[..<min($0.count, count - offset)]))
    }
  }
}
