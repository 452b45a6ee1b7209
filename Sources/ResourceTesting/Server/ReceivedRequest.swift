public import Foundation
internal import ResourceLoading
internal import ResourcePrimitives

/// A request that a `LoopbackServer` received, parsed and byte for byte.
public struct ReceivedRequest: Sendable, Hashable {
  /// The method as it was sent, such as `"GET"`.
  public let method: String

  /// The request target exactly as it was sent, percent-encoding and query included, such as
  /// `"/a%20b?q=1"`.
  public let target: String

  /// The protocol version as it was sent, such as `"HTTP/1.1"`.
  public let version: String

  /// All header fields in order, including repeated ones, with names as they were sent.
  public let headers: [Header]

  /// The bytes of the request line and the headers, up to and including the empty line.
  public let rawHead: Data

  /// The number of the connection the request came on, counted from 1 in the order of acceptance.
  public let connection: Int

  /// The time at which the head had arrived.
  public let arrival: ContinuousClock.Instant

  /// The body, without the framing of a chunked one.
  ///
  /// Empty or incomplete while `isComplete` is false. Bytes beyond
  /// `LoopbackServer.Configuration.maximumStoredBodySize` are counted in `bodyLength` and dropped.
  public internal(set) var body = Data()

  /// The body as it was sent, with chunk sizes, extensions and trailers if it was chunked.
  public internal(set) var rawBody = Data()

  /// The number of bytes of the body that have arrived, without the framing.
  public internal(set) var bodyLength = 0

  /// The fields after a chunked body, in order.
  public internal(set) var trailers: [Header] = []

  /// Whether the body has been read to its end. False for a request that broke off.
  public internal(set) var isComplete = false
}

extension ReceivedRequest {
  /// One header or trailer field.
  public struct Header: Sendable, Hashable {
    /// The field's name, spelled as it was sent.
    public let name: String

    /// The field's value, without surrounding white space. Bytes that aren't UTF-8 are replaced;
    /// `rawHead` has the original ones.
    public let value: String

    /// Creates a field to compare with a received one.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The target without its query, percent-encoded, and without the scheme and authority of an
  /// absolute target (`GET http://host/path`).
  public var path: String {
    String(originTarget.unicodeScalars.prefix { $0 != "?" })
  }

  /// The part after the first `?` of the target, percent-encoded; `nil` if there is none.
  public var query: String? {
    target.cut(at: "?").map { String($0.behind) }
  }

  /// The body as text; bytes that aren't UTF-8 are replaced.
  public var text: String {
    String(decoding: body, as: UTF8.self)
  }

  /// Returns the value of the first field with a name, compared in any case; `nil` if there is
  /// none.
  public func header(_ name: String) -> String? {
    values(of: name).first
  }

  /// Returns the values of all fields with a name, compared in any case, in order.
  public func values(of name: String) -> [String] {
    headers.lazy.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  var originTarget: Substring {
    guard !target.hasPrefix("/"), let rest = target.cut(atText: "://")?.behind else {
      return target[...]
    }
    return rest.drop { $0 != "/" && $0 != "?" }
  }
}

extension ReceivedRequest {
  /// Parses a head, from the request line to the empty line (RFC 9112 sections 3 and 5).
  ///
  /// Only CRLF ends a line, so a bare CR or LF that a client sends remains in the value.
  init(head: [UInt8], connection: Int) throws {
    let lines = String(decoding: head.dropLast(4), as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    let isFilled = words.count == 3 && !words[0].isEmpty && !words[1].isEmpty
    guard isFilled, words[2].hasPrefix("HTTP/1.") else {
      throw Interruption.malformed("no request line: \(lines[0])")
    }
    method = String(words[0])
    target = String(words[1])
    version = String(words[2])
    headers = try lines.dropFirst().map(Header.init(line:))
    rawHead = Data(head)
    self.connection = connection
    arrival = .now
  }

  /// Returns how the body is delimited; a transfer coding overrides a length (RFC 9112 section
  /// 6.3).
  func framing() throws -> BodyReader.Framing {
    if let coding = header("Transfer-Encoding") {
      guard coding.lowercased().hasSuffix("chunked") else {
        throw Interruption.malformed("transfer coding \(coding)")
      }
      return .chunked
    }
    guard let text = header("Content-Length") else { return .length(0) }
    guard let length = Int(text), length >= 0 else {
      throw Interruption.malformed("content length \(text)")
    }
    return .length(length)
  }

  var expectsContinue: Bool {
    header("Expect")?.lowercased() == "100-continue"
  }

  /// Whether the client wants the connection to stay open after the response (RFC 9112 section
  /// 9.3).
  var keepsAlive: Bool {
    let options = values(of: "Connection").joined(separator: ",").lowercased()
      .parts(between: ",").map { $0.trimmingSpaces() }
    if options.contains("close") { return false }
    return version != "HTTP/1.0" || options.contains("keep-alive")
  }
}

extension ReceivedRequest.Header {
  init(line: String) throws {
    guard let (name, value) = line.cut(at: ":"), !name.isEmpty else {
      throw Interruption.malformed("no header field: \(line)")
    }
    self.init(name: String(name), value: value.trimmingSpaces())
  }
}
