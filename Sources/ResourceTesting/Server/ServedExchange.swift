import Foundation

/// One request and its answer, while they are under way.
struct ServedExchange {
  var request: ReceivedRequest
  var body: BodyReader
  /// The request's place in the log, once it is listed.
  private var place: Int?
  private(set) var isOver = false
  private let log: ServerLog

  init(_ request: ReceivedRequest, log: ServerLog) throws {
    self.request = request
    self.log = log
    body = BodyReader(try request.framing())
    self.request.isComplete = body.isFinished
    log.exchangeBegan()
  }

  var isListed: Bool {
    place != nil
  }

  /// Lists the request, or what has been read of it since.
  mutating func record() {
    if let place {
      log.update(place, request)
    } else {
      place = log.received(request)
    }
  }

  /// The last byte of the answer is about to be written, or never will be.
  mutating func end() {
    if !isOver { log.exchangeEnded() }
    isOver = true
  }

  /// Reads up to `limit` bytes of the body; how many there were, `nil` at its end.
  mutating func read(
    atMost limit: Int, from reader: inout ByteReader, storing storedBytes: Int
  ) throws -> Int? {
    let bytes = try body.next(atMost: limit, from: &reader)
    let raw = body.takeRaw()
    request.isComplete = body.isFinished
    request.trailers = body.trailers
    request.bodyLength += bytes?.count ?? 0
    if request.body.count < storedBytes {
      request.body.append(contentsOf: bytes?.prefix(storedBytes - request.body.count) ?? [])
      request.rawBody.append(contentsOf: raw)
    }
    return bytes?.count
  }
}

/// Reads one request's body piece by piece, as far as it is asked to.
struct BodyReader {
  enum Framing: Equatable {
    case length(Int)
    case chunked
  }

  private let framing: Framing
  /// What is left of the body or of the present chunk.
  private var rest: Int
  private(set) var isFinished: Bool
  private(set) var trailers: [ReceivedRequest.Header] = []
  /// Everything of a chunked body as it was on the wire, since `takeRaw()`.
  private var raw: [UInt8] = []

  init(_ framing: Framing) {
    self.framing = framing
    if case .length(let length) = framing { rest = length } else { rest = 0 }
    isFinished = framing == .length(0)
  }

  /// At least one and at most `limit` bytes of the body; `nil` at its end.
  mutating func next(atMost limit: Int, from reader: inout ByteReader) throws -> [UInt8]? {
    if framing == .chunked, rest == 0, !isFinished { try beginChunk(from: &reader) }
    if isFinished { return nil }
    let bytes = try reader.some(atMost: min(limit, rest))
    raw += bytes
    rest -= bytes.count
    if rest == 0 { try endPiece(from: &reader) }
    return bytes
  }

  /// The bytes on the wire since the last call.
  mutating func takeRaw() -> [UInt8] {
    defer { raw = [] }
    return raw
  }

  private mutating func beginChunk(from reader: inout ByteReader) throws {
    let line = try line(from: &reader)
    guard let size = Int(line.prefix { $0 != ";" && $0 != " " }, radix: 16), size >= 0 else {
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
