import ResourcePrimitives

/// Reads the bytes of one connection, and buffers those that were read ahead.
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

  var unused: [UInt8] {
    Array(buffer[start...])
  }

  /// Reads up to and including the next empty line; `nil` if the peer closes before the first byte.
  mutating func head() throws -> [UInt8]? {
    guard try !isEmpty || fill() else { return nil }
    return try bytes(through: [13, 10, 13, 10], limit: 1 << 20, "head too large")
  }

  /// Reads up to and including the next CRLF.
  mutating func line() throws -> [UInt8] {
    try bytes(through: [13, 10], limit: 1 << 16, "line too long")
  }

  private mutating func bytes(
    through mark: [UInt8], limit: Int, _ reason: String
  ) throws -> [UInt8] {
    var searched = 0
    while true {
      if let found = buffer[(start + searched)...].firstRange(of: mark) {
        return take(found.upperBound - start)
      }
      let count = buffer.count - start
      guard count < limit else { throw Interruption.malformed(reason) }
      searched = max(0, count - mark.count + 1)
      guard try fill() else { throw Interruption.peerLeft }
    }
  }

  /// Reads at least one and at most `limit` bytes.
  mutating func some(atMost limit: Int) throws -> [UInt8] {
    if isEmpty, try !fill() { throw Interruption.peerLeft }
    return take(min(limit, buffer.count - start))
  }

  /// Reads and drops everything until the peer closes its side.
  mutating func drain() throws {
    repeat {
      buffer.removeAll(keepingCapacity: true)
      start = 0
    } while try fill()
  }

  /// Appends the bytes that are available; returns `false` at the end of what the peer sends.
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
}

/// Reads the body of a request piece by piece.
struct BodyReader {
  enum Framing: Equatable {
    case length(Int)
    case chunked
  }

  private let framing: Framing
  /// The unread bytes of the body or of the current chunk.
  private var rest: Int
  private(set) var isFinished: Bool
  private(set) var trailers: [ReceivedRequest.Header] = []
  /// The bytes on the wire since `takeRaw()`, framing included.
  private var raw: [UInt8] = []

  init(_ framing: Framing) {
    self.framing = framing
    if case .length(let length) = framing { rest = length } else { rest = 0 }
    isFinished = framing == .length(0)
  }

  /// Reads at least one and at most `limit` bytes of the body; `nil` at its end.
  mutating func next(atMost limit: Int, from reader: inout ByteReader) throws -> [UInt8]? {
    if framing == .chunked, rest == 0, !isFinished { try beginChunk(from: &reader) }
    if isFinished { return nil }
    let bytes = try reader.some(atMost: min(limit, rest))
    raw += bytes
    rest -= bytes.count
    if rest == 0 { try endPiece(from: &reader) }
    return bytes
  }

  /// Returns the bytes on the wire since the last call.
  mutating func takeRaw() -> [UInt8] {
    defer { raw = [] }
    return raw
  }

  private mutating func beginChunk(from reader: inout ByteReader) throws {
    let line = try line(from: &reader)
    guard let size = Int(String(line.unicodeScalars.prefix { $0 != ";" && $0 != " " }), radix: 16),
      size >= 0
    else {
      throw Interruption.malformed("chunk size \(line)")
    }
    rest = size
    if size == 0 { try readTrailers(from: &reader) }
  }

  private mutating func endPiece(from reader: inout ByteReader) throws {
    guard framing == .chunked else {
      isFinished = true
      return
    }
    guard try line(from: &reader).isEmpty else {
      throw Interruption.malformed("no line end after a chunk")
    }
  }

  private mutating func readTrailers(from reader: inout ByteReader) throws {
    while case let line = try line(from: &reader), !line.isEmpty {
      trailers.append(try ReceivedRequest.Header(line: line))
    }
    isFinished = true
  }

  private mutating func line(from reader: inout ByteReader) throws -> String {
    let line = try reader.line()
    raw += line
    return String(decoding: line.dropLast(2), as: UTF8.self)
  }
}

/// Why a connection ends in the middle of a script or a request.
enum Interruption: Error {
  /// The peer closed or reset the connection, or the server was stopped.
  case peerLeft
  /// The bytes aren't HTTP/1.
  case malformed(String)
  /// A step of the script closed the connection.
  case closedByScript
}
