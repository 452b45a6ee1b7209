public import Foundation

/// A request as it goes on the wire: checked, absolute, and with nothing left to decide.
public struct WireRequest: Sendable, Hashable {
  /// The method, a token.
  public var method: Request.Method

  /// Absolute `http` or `https` URL with a host, without user info and fragment.
  public var url: URL

  /// The headers, `Content-Type` and `Authorization` included.
  public var headers: Headers

  /// The body; `nil` sends none.
  public var body: WireBody?

  /// How long nothing may arrive; `nil` leaves it to the engine.
  public var idleTimeout: Duration?

  /// How many bytes the body of the response may have, before any of its codings is removed and behind each of
  /// them; `nil` for any number. What comes of it in the end is counted above the engine.
  public var maximumBodySize: Int?

  /// What ``Request/Options/isIdempotent`` says.
  var isMarkedIdempotent: Bool?
}

extension WireRequest {
  /// Whether it may be sent again if it isn't known what became of it.
  var isRepeatable: Bool { method.isRepeatable(headers, markedAs: isMarkedIdempotent) }
}

extension WireRequest {
  /// Checks a request and makes it ready to be sent.
  ///
  /// - Parameters:
  ///   - request: What was described.
  ///   - encoder: Encodes JSON that brings no encoder of its own.
  /// - Throws: `LoadError` of kind `invalidRequest` for what can't be sent, or must not be.
  init(_ request: Request, encoder: JSONEncoder = .plain) throws {
    try Self.check(request)
    let target = try Self.target(of: request)
    method = request.method
    url = target.url
    headers = request.headers
    body = try request.body?.wireBody(encoder: encoder)
    idleTimeout = request.options.idleTimeout
    isMarkedIdempotent = request.options.isIdempotent
    if let mediaType = request.body?.mediaType, headers[.contentType] == nil {
      headers[.contentType] = mediaType.rawValue
    }
    if let credential = target.credential, headers[.authorization] == nil {
      headers[.authorization] = credential
    }
  }

  private static func check(_ request: Request) throws {
    guard request.method.rawValue.isToken else {
      throw invalid("the method \(quoted(request.method.rawValue)) isn't a token", request)
    }
    if request.body != nil, [.get, .head].contains(request.method) {
      throw invalid(
        "a \(request.method) request can't have a body", request,
        advice: "Send the values as query items, or use POST")
    }
    try request.query.check()
    for field in request.headers {
      guard field.name.rawValue.isToken else {
        throw invalid("the header name \(quoted(field.name.rawValue)) isn't a token", request)
      }
      guard field.value.isFieldValue else {
        throw invalid(
          "the value of the header \(field.name) holds a line break or a NUL", request,
          advice: "Encode the value, or leave these characters out")
      }
    }
  }

  private static func invalid(
    _ reason: String, _ request: Request, advice: String? = nil
  ) -> LoadError {
    LoadError(.invalidRequest, reason, advice: advice)
  }

  private static func quoted(_ text: String) -> String { text.debugDescription }
}

extension WireRequest {
  /// Where a request goes and the credential that its user info stands for.
  private static func target(of request: Request) throws -> (url: URL, credential: String?) {
    if case .path(let path) = request.address {
      try path.check()
      throw invalid(
        "the request has only a path, \(path)", request,
        advice: "Give the request an absolute URL, or load it with a client that has a base URL")
    }
    let url = request.url
    guard !url.isPlain else { return (url, nil) }
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      throw invalid("the URL can't be read", request)
    }
    guard let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
      throw invalid(
        "the scheme \(parts.scheme.map { "\"\($0)\"" } ?? "is missing, so it") can't be loaded",
        request, advice: "Use an http or https URL")
    }
    guard let host = parts.encodedHost, !host.isEmpty else {
      throw invalid("the URL has no host", request, advice: "Write it as https://host/path")
    }
    if let port = parts.port, !(1...65535).contains(port) {
      throw invalid("the port \(port) is out of range", request, advice: "Use 1 to 65535")
    }
    let credential = parts.user.map {
      BasicCredential.value(user: $0, password: parts.password ?? "")
    }
    parts.scheme = scheme
    parts.user = nil
    parts.password = nil
    parts.fragment = nil
    guard let url = parts.url else { throw invalid("the URL can't be read", request) }
    return (url, credential)
  }
}

extension URL {
  /// Whether this is so simple that it needn't be taken to pieces: `http` or `https` in lower case, a name or
  /// IPv4 address, no port out of range, no user info and no fragment.
  fileprivate var isPlain: Bool {
    guard baseURL == nil else { return false }
    var text = absoluteString
    return text.withUTF8 { bytes in
      guard let rest = bytes.afterScheme else { return false }
      var (place, port) = (rest, 0)
      while place < bytes.count, PercentEncoding.unreserved.keeps(bytes[place]) { place += 1 }
      guard place > rest else { return false }
      if place < bytes.count, bytes[place] == UInt8(ascii: ":") {
        place += 1
        while place < bytes.count, bytes[place].isDigit, port <= 65_535 {
          port = port * 10 + Int(bytes[place] & 0x0F)
          place += 1
        }
        guard (1...65_535).contains(port) else { return false }
      }
      guard place < bytes.count else { return true }
      guard [UInt8(ascii: "/"), UInt8(ascii: "?")].contains(bytes[place]) else { return false }
      return !bytes[place...].contains(UInt8(ascii: "#"))
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Where the host begins of a URL with one of our schemes.
  fileprivate var afterScheme: Int? {
    for scheme in [StaticString("http://"), StaticString("https://")]
    where count >= scheme.utf8CodeUnitCount {
      let isIt = UnsafeBufferPointer(rebasing: self[..<scheme.utf8CodeUnitCount]).elementsEqual(
        UnsafeBufferPointer(start: scheme.utf8Start, count: scheme.utf8CodeUnitCount))
      if isIt { return scheme.utf8CodeUnitCount }
    }
    return nil
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}

extension String {
  /// Whether this is a token of RFC 9110 section 5.6.2.
  var isToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// Whether this can stand as a field value (RFC 9110 section 5.5): no CR, LF or NUL.
  var isFieldValue: Bool {
    !utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
  }
}
