/// What comes in on one connection, with what was read ahead.
struct ByteReader {
  private let socket: Socket
  private var buffer: [UInt8] = []
  private var start = 0

  private static let readSize = 16_384

  init(_ socket: Socket) {
    self.socket = socket
  }

  var isEmpty: Bool {
    start == buffer.count
  }

  /// Everything that was read and not used.
  var unused: [UInt8] {
    Array(buffer[start...])
  }

  /// The bytes up to and including the next empty line; `nil` when the peer ends before the first.
  mutating func head(limit: Int) throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = endOfHead(from: searched) { return take(end - start) }
      guard buffer.count - start < limit else { throw Interruption.malformed("head too large") }
      searched = max(start, buffer.count - 3)
      let before = start
      if try !fill() {
        if isEmpty { return nil }
        throw Interruption.peerLeft
      }
      searched -= before - start
    }
  }

  /// The bytes up to and including the next CRLF.
  mutating func line(limit: Int = 65_536) throws -> [UInt8] {
    var line: [UInt8] = []
    while !line.ends(with: [13, 10]) {
      guard line.count < limit else { throw Interruption.malformed("line too long") }
      line += try some(atMost: 1)
    }
    return line
  }

  /// At least one and at most `limit` bytes.
  mutating func some(atMost limit: Int) throws -> [UInt8] {
    if isEmpty, try !fill() { throw Interruption.peerLeft }
    return take(min(limit, buffer.count - start))
  }

  /// Reads and drops everything until the peer ends.
  mutating func drain() throws {
    repeat {
      buffer.removeAll(keepingCapacity: true)
      start = 0
    } while try fill()
  }

  /// Appends what there is; `false` at the end of it.
  private mutating func fill() throws -> Bool {
    buffer.removeFirst(start)
    start = 0
    guard let bytes = try socket.receive(atMost: Self.readSize) else { return false }
    buffer += bytes
    return true
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    defer { start += count }
    return Array(buffer[start..<start + count])
  }

  private func endOfHead(from searched: Int) -> Int? {
    guard buffer.count >= searched + 4 else { return nil }
    let emptyLine: [UInt8] = [13, 10, 13, 10]
    return (searched...buffer.count - 4)
      .first { buffer[$0..<$0 + 4].elementsEqual(emptyLine) }
      .map { $0 + 4 }
  }
}

extension [UInt8] {
  fileprivate func ends(with suffix: [UInt8]) -> Bool {
    self.suffix(suffix.count).elementsEqual(suffix)
  }
}

/// Why a connection's thread stops what it is doing.
enum Interruption: Error {
  /// The peer has closed or reset the connection, or the server's stop has shut it down.
  case peerLeft
  /// What came in is no HTTP/1.
  case malformed(String)
  /// A step of the script has closed the connection.
  case closedByScript
}
