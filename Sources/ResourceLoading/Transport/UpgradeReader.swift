import Foundation
import ResourcePrimitives

/// Reads the response to a request that switches protocols from the bytes of its own connection
/// (RFC 9112), for engines without HTTP.
///
/// After an error it must not be used again.
struct UpgradeReader {
  enum Event: Hashable {
    case interim(ResponseHead)
    case head(ResponseHead)
    /// A piece of the body, or of the other protocol.
    case bytes(Data)
    case end
  }

  /// What the next byte belongs to.
  private enum Part {
    case head
    /// The body up to a number of bytes.
    case length(Int)
    /// The body up to the end of the connection, or the other protocol.
    case rest
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case trailers
    /// Nothing follows.
    case over
  }

  private var part = Part.head
  private var head: ResponseHeadReader
  private let isForHEAD: Bool
  /// The beginning of a line.
  private var line: [UInt8] = []
  /// Whether no line has arrived.
  private var isEmpty = true

  init(for method: Request.Method = .get) {
    (head, isForHEAD) = (ResponseHeadReader(for: method), method == .head)
  }
}

extension UpgradeReader {
  /// Reads a piece.
  ///
  /// - Parameter events: Gets what is complete, also what came before an error.
  mutating func read(
    _ piece: some Sequence<UInt8>, into events: inout [Event]
  ) throws(LoadError) {
    var bytes = Array(piece)[...]
    while !bytes.isEmpty {
      switch part {
      case .over: return
      case .rest: events.append(.bytes(Data(bytes.take(.max))))
      case .length(let missing):
        let body = bytes.take(missing)
        events.append(.bytes(Data(body)))
        if body.count == missing { end(&events) } else { part = .length(missing - body.count) }
      case .chunk(let missing):
        let body = bytes.take(missing)
        events.append(.bytes(Data(body)))
        part = body.count == missing ? .chunkEnd : .chunk(missing - body.count)
      case .head, .chunkSize, .chunkEnd, .trailers:
        if let line = try nextLine(&bytes) { try read(line: line, &events) }
      }
    }
  }

  /// Reads the end of the connection.
  mutating func readEnd(into events: inout [Event]) throws(LoadError) {
    switch part {
    case .over: break
    case .rest: end(&events)
    case .head where isEmpty && line.isEmpty: throw .unanswered
    default: throw .incomplete
    }
  }

  private mutating func end(_ events: inout [Event]) {
    part = .over
    events.append(.end)
  }
}

extension UpgradeReader {
  /// Returns the next line with its terminator; `nil` if it isn't complete.
  private mutating func nextLine(_ bytes: inout ArraySlice<UInt8>) throws(LoadError) -> [UInt8]? {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
    line += bytes.take(end.map { $0 + 1 - bytes.startIndex } ?? .max)
    guard line.count <= ResponseHeadReader.maximumSize else {
      throw LoadError(.tooLarge, "a line of the response is too long")
    }
    guard end != nil else { return nil }
    defer { (line, isEmpty) = ([], false) }
    return line
  }

  private mutating func read(line: [UInt8], _ events: inout [Event]) throws(LoadError) {
    switch part {
    case .chunkSize:
      let size = try Self.chunkSize(line)
      part = size == 0 ? .trailers : .chunk(size)
    case .chunkEnd:
      guard line.withoutLineEnd.isEmpty else { throw .malformedChunk }
      part = .chunkSize
    case .trailers where line.withoutLineEnd.isEmpty: end(&events)
    default:
      // Something that isn't HTTP would be read as a head without an end.
      guard !isEmpty || line.starts(with: "HTTP/1.".utf8) else {
        throw LoadError(.connection, "the server doesn't answer in HTTP/1.1")
      }
      try readField(line, &events)
    }
  }

  private mutating func readField(
    _ line: [UInt8], _ events: inout [Event]
  ) throws(LoadError) {
    let section = unsafe line.withUnsafeBytes { bytes in
      Result { () throws(LoadError) in try unsafe head.read(bytes) }
    }
    switch try section.get() {
    case nil: break
    case .interim(let head): events.append(.interim(head))
    case .final(let head):
      events.append(.head(head))
      begin(bodyOf: head, &events)
    }
  }

  private mutating func begin(bodyOf head: ResponseHead, _ events: inout [Event]) {
    let length = head.headers[.contentLength].flatMap { Int($0) }
    if head.status == .switchingProtocols {
      part = .rest
    } else if isForHEAD || !head.status.hasBody || length == 0 {
      end(&events)
    } else if head.headers[.transferEncoding]?.lowercased() == "chunked" {
      part = .chunkSize
    } else {
      part = length.map { .length($0) } ?? .rest
    }
  }

  /// The size in the line before a chunk (RFC 9112 section 7.1).
  private static func chunkSize(_ line: [UInt8]) throws(LoadError) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") }.withoutLineEnd
    let text = String(decoding: digits, as: UTF8.self).trimmingSpaces()
    guard !text.isEmpty, text.utf8.allSatisfy(\.isHexDigit), let size = Int(text, radix: 16) else {
      throw .malformedChunk
    }
    return size
  }
}

extension LoadError {
  fileprivate static let malformedChunk = LoadError(
    .connection, "a chunk of the response is malformed")
}

extension UInt8 {
  fileprivate var isHexDigit: Bool { Character(Unicode.Scalar(self)).isHexDigit }
}

extension Collection<UInt8> where SubSequence: Collection<UInt8> {
  fileprivate var withoutLineEnd: ArraySlice<UInt8> {
    var line = Array(self)[...]
    while line.last == UInt8(ascii: "\n") || line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}

extension ArraySlice<UInt8> {
  /// Removes and returns the first bytes.
  fileprivate mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    let first = prefix(count)
    self = dropFirst(first.count)
    return first
  }
}

extension WireRequest {
  /// The head of the request as it is sent on a connection of its own (RFC 9112 section 3).
  ///
  /// - Parameter further: Fields that are sent unless the request has others of these names.
  func head(adding further: Headers = [:]) -> Data {
    let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let path = parts?.percentEncodedPath ?? ""
    let query = parts?.percentEncodedQuery.map { "?" + $0 } ?? ""
    let port = parts?.port.map { ":\($0)" } ?? ""
    var lines = [
      "\(method) \(path.isEmpty ? "/" : path)\(query) HTTP/1.1",
      "Host: \(parts?.percentEncodedHost ?? "")\(port)",
    ]
    // What frames a body isn't there, and the credentials of a proxy aren't the server's.
    let hopNames: Set<Headers.Name> = [
      .contentLength, .transferEncoding, "Host", "Proxy-Authorization",
    ]
    let own = headers.filter { !hopNames.contains($0.name) }
    let added = further.filter { headers[$0.name] == nil && !hopNames.contains($0.name) }
    lines += (own + added).map { "\($0.name.rawValue): \($0.value)" }
    return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
