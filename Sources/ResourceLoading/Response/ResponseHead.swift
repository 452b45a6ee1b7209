import ResourcePrimitives

/// The head of a response: the status and the headers.
public struct ResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: Status

  /// The headers. Those of a content coding that was removed may still be there.
  public var headers: Headers

  /// Creates a head, for transports.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The headers.
  public init(status: Status, headers: Headers = [:]) {
    self.status = status
    self.headers = headers
  }
}

extension ResponseHead {
  /// The bytes that are kept of the body of a response that isn't accepted: 1 MiB.
  package static let maximumErrorBodySize = 1 << 20
}

extension ResponseHead {
  /// The approximate bytes of the header fields in HTTP/1.1.
  var headerSize: Int {
    headers.reduce(0) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count + 4 }
  }

  /// The size of the decoded body if the head states it; `nil` if the body is coded, or framed
  /// without a length.
  var bodySize: Int? {
    guard headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
      return nil
    }
    guard let length = headers[.contentLength]?.trimmingSpaces(), length.isLength else {
      return nil
    }
    return Int(length)
  }
}

extension ResponseHead {
  /// Checks that the end of the body is unambiguous (RFC 9112 section 6.3), and joins repeated
  /// equal lengths.
  mutating func checkFraming() throws(LoadError) {
    guard let coding = headers[.transferEncoding]?.lowercased() else { return try checkLength() }
    // Others weren't requested. A length beside them would give another end.
    guard ["chunked", "identity"].contains(coding) else {
      throw LoadError(
        .connection,
        "the response has a transfer coding that wasn't asked for, "
          + coding.prefix(scalars: 40).debugDescription,
        advice: "Have the server send it chunked, or with a Content-Length")
    }
    guard headers[.contentLength] == nil else {
      throw LoadError(
        .connection, "the response has both a Content-Length and a Transfer-Encoding")
    }
  }

  /// Checks only the lengths, for engines that handle transfer codings themselves.
  mutating func checkLength() throws(LoadError) {
    // Several fields are joined by commas.
    guard let text = headers[.contentLength], !text.isLength else { return }
    let lengths = text.parts(between: ",", omittingEmpty: false).map { $0.trimmingSpaces() }
    guard let length = lengths.first, lengths.allSatisfy({ $0 == length }) else {
      throw LoadError(.connection, "the response has more than one Content-Length")
    }
    guard length.isLength else {
      throw LoadError(.connection, "the Content-Length of the response is no length")
    }
    headers[.contentLength] = length
  }
}

extension String {
  /// Whether this is a number of bytes (RFC 9110 section 8.6).
  fileprivate var isLength: Bool {
    hasOnlyBytes(where: \.isASCIIDigit) && Int64(self) != nil
  }
}

extension Status {
  /// Whether a response to anything but `HEAD` has a body (RFC 9112 section 6.3).
  var hasBody: Bool { !isInformational && self != .noContent && self != .notModified }
}
