public import Foundation

/// A request in the form in which it is sent: checked, absolute and complete.
///
/// It can only be made by the check of ``init(_:)`` and not be changed afterwards, so a transport gets exactly what
/// was checked.
public struct WireRequest: Sendable, Hashable {
  /// The checked draft, to make another request from.
  public private(set) var draft: Draft

  /// The method, a token.
  public var method: Request.Method { draft.method }

  /// The absolute `http` or `https` URL with a host, without user info, fragment and segments such as `..`.
  public var url: URL { draft.url }

  /// The headers, including `Content-Type` and `Authorization`, without those that frame the body.
  public var headers: Headers { draft.headers }

  /// The body; `nil` sends none.
  public var body: WireBody? { draft.body }

  /// The longest time in which nothing arrives; `nil` for the engine's default.
  public var idleTimeout: Duration? { draft.idleTimeout }

  /// How urgent the request is; `nil` for the engine's default.
  public var priority: Request.Priority? { draft.priority }

  /// The networks that the request may use.
  public var networkAccess: NetworkAccess { draft.networkAccess }

  /// The most bytes of the response's body, before its codings are removed and after each of them; `nil` for any
  /// number. The decoded bytes are counted above the engine.
  public package(set) var maximumBodySize: Int?

  /// A request that isn't checked yet.
  public struct Draft: Sendable, Hashable {
    /// The method.
    public var method: Request.Method
    /// The absolute URL.
    public var url: URL
    /// The headers.
    public var headers: Headers
    /// The body; `nil` sends none.
    public var body: WireBody?
    /// The longest time in which nothing arrives; `nil` for the engine's default.
    public var idleTimeout: Duration?
    /// How urgent the request is; `nil` for the engine's default.
    public var priority: Request.Priority?
    /// The networks that the request may use.
    public var networkAccess = NetworkAccess()
    /// ``Request/Options/isIdempotent``.
    var isMarkedIdempotent: Bool?

    /// Makes a draft.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The absolute URL.
    ///   - headers: The headers.
    ///   - body: The body; `nil` sends none.
    public init(
      method: Request.Method = .get, url: URL, headers: Headers = [:], body: WireBody? = nil
    ) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
    }
  }

  /// The networks that a request may use, where the system tells them apart; `nil` for what the session allows.
  public struct NetworkAccess: Sendable, Hashable {
    /// ``Request/Options/allowsCellularAccess``.
    public var cellular: Bool?
    /// ``Request/Options/allowsConstrainedNetworkAccess``.
    public var constrained: Bool?
    /// ``Request/Options/allowsExpensiveNetworkAccess``.
    public var expensive: Bool?

    /// Leaves everything to the session.
    public init() {}
  }

  /// Makes a request, for tests of transports and middleware.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: The absolute URL.
  ///   - headers: The headers.
  ///   - body: The bytes of the body; `nil` sends none.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if it can't be sent, as ``init(_:)`` does.
  public init(
    _ method: Request.Method = .get, url: URL, headers: Headers = [:], body: Data? = nil
  ) throws {
    try self.init(
      Draft(method: method, url: url, headers: headers, body: body.map { WireBody($0) }))
  }

  /// Checks a request, as the last step before a transport gets it.
  ///
  /// Spaces around the values of headers are removed, and so are `Content-Length` and `Transfer-Encoding`, which
  /// the transport sets.
  ///
  /// - Parameter draft: The request.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if the method or a name isn't a token (RFC
  ///   9110 section 5.6.2), a value has a control character (section 5.5), the URL can't be asked, or there is a
  ///   body where none can be.
  public init(_ draft: Draft) throws {
    guard draft.method.rawValue.isToken else {
      throw Self.invalid("the method \(Self.quoted(draft.method.rawValue)) isn't a token")
    }
    if draft.body != nil, [.get, .head].contains(draft.method) {
      throw Self.invalid(
        "a \(draft.method) request can't have a body",
        advice: "Send the values as query items, or use POST")
    }
    var draft = draft
    if !draft.url.isPlain { draft.url = try Self.checked(draft.url) }
    draft.headers.removeOverruled()
    draft.headers = try Self.checked(draft.headers)
    self.draft = draft
  }
}

extension WireRequest {
  /// Returns this request with other headers, which are checked; everything else has been.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` for headers that can't be sent.
  func replacing(_ headers: Headers) throws -> WireRequest {
    var request = self
    let known = self.headers
    // As a rule some are added, and the others needn't be checked again.
    let isLonger = headers.prefix(known.count).elementsEqual(known)
    request.draft.headers = try Self.checked(headers, after: isLonger ? known.count : 0)
    return request
  }
}

extension WireRequest {
  /// Checks a request in the form in which it would be sent, for tests of transports.
  ///
  /// - Parameters:
  ///   - request: The request, with an absolute URL. Its body may be no stream.
  ///   - encoder: The encoder for JSON without an encoder of its own.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` for a request that can't be sent.
  public init(_ request: Request, encoder: JSONEncoder = JSONEncoder()) throws {
    try self.init(request, encoder: encoder, spool: nil)
  }

  /// Whether the request may be repeated if its outcome isn't known.
  var isRepeatable: Bool { method.isRepeatable(headers, markedAs: draft.isMarkedIdempotent) }
}

extension WireRequest {
  /// Prepares and checks a request.
  ///
  /// - Parameters:
  ///   - request: The request, with an absolute URL.
  ///   - encoder: The encoder for JSON without an encoder of its own.
  ///   - spool: The bytes of the body, if it is a stream.
  /// - Throws: `LoadError` of kind `invalidRequest` for a request that can't or mustn't be sent.
  init(_ request: Request, encoder: JSONEncoder, spool: Spool?) throws {
    try request.query.check()
    let target = try Self.target(of: request)
    let isBodiless = [.get, .head].contains(request.method)
    var draft = Draft(
      method: request.method, url: target.url, headers: request.headers,
      // One that can't be sent needn't be read.
      body: try request.body.map { body in
        if isBodiless { return WireBody([]) }
        return try spool.map(body.wireBody(in:)) ?? body.wireBody(encoder: encoder)
      })
    draft.idleTimeout = request.options.idleTimeout
    draft.priority = request.options.priority
    draft.networkAccess = NetworkAccess(request.options)
    draft.isMarkedIdempotent = request.options.isIdempotent
    if let body = request.body, draft.headers[.contentType] == nil {
      draft.headers[.contentType] = body.contentType.rawValue
    }
    if let credential = target.credential, draft.headers[.authorization] == nil {
      draft.headers[.authorization] = credential
    }
    try self.init(draft)
  }

  /// Returns headers that can be sent, without those that frame a body.
  ///
  /// - Parameter count: The number of fields at the beginning that have been checked.
  /// - Throws: `LoadError` of kind `invalidRequest` for a name that is no token, and for a control character in a
  ///   value.
  private static func checked(_ headers: Headers, after count: Int = 0) throws -> Headers {
    var isClean = true
    for field in headers.dropFirst(count) {
      guard field.name.rawValue.isToken else {
        throw invalid("the header name \(quoted(field.name.rawValue)) isn't a token")
      }
      guard field.value.isFieldValue else {
        throw invalid(
          "the value of the header \(field.name) holds a line break or another control character",
          advice: "Encode the value, or leave these characters out")
      }
      if field.name == .contentLength || field.name == .transferEncoding
        || field.value.isSurroundedBySpace
      {
        isClean = false
      }
    }
    return isClean ? headers : headers.cleaned
  }

  private static func invalid(_ reason: String, advice: String? = nil) -> LoadError {
    LoadError(.invalidRequest, reason, advice: advice)
  }

  private static func quoted(_ text: String) -> String { "\"" + text.printable + "\"" }
}

extension Headers {
  /// The headers without spaces around values, and without those that frame a body.
  fileprivate var cleaned: Headers {
    Headers(
      filter { $0.name != .contentLength && $0.name != .transferEncoding }
        .map { field in
          var field = field
          field.value = field.value.trimmingSpaces()
          return field
        })
  }
}

extension WireRequest {
  /// The address of a request, and the credential of its user info.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` for a request that has only a path, and for a URL that can't be
  ///   loaded.
  private static func target(of request: Request) throws -> (url: URL, credential: String?) {
    if case .path(let path) = request.address {
      try path.check()
      throw invalid(
        "the request has only a path, \(path)",
        advice: "Give the request an absolute URL, or load it with a client that has a base URL")
    }
    let url = request.url
    guard !url.isPlain else { return (url, nil) }
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      throw invalid("the URL can't be read")
    }
    let credential = parts.user.map {
      BasicCredential.value(user: $0, password: parts.password ?? "")
    }
    parts.removeUnsentParts()
    guard let url = parts.url else { throw invalid("the URL can't be read") }
    return (url.isPlain ? url : try checked(url), credential)
  }

  /// Returns a URL without segments such as `..`, which engines resolve in different ways.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` for a URL that can't be read or loaded.
  private static func checked(_ url: URL) throws -> URL {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      throw invalid("the URL can't be read")
    }
    guard let scheme = parts.scheme, ["http", "https"].contains(scheme) else {
      throw invalid(
        "the scheme \(parts.scheme.map { quoted($0) } ?? "is missing, so it") can't be loaded",
        advice: "Use an http or https URL")
    }
    guard let host = parts.encodedHost, !host.isEmpty else {
      throw invalid("the URL has no host", advice: "Write it as https://host/path")
    }
    guard host.isHost else {
      throw invalid("the host \(quoted(host)) holds an escaped delimiter or control character")
    }
    if let port = parts.port, !(1...65535).contains(port) {
      throw invalid("the port \(port) is out of range", advice: "Use 1 to 65535")
    }
    guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
      throw invalid("the URL has user info or a fragment", advice: "Set Authorization instead")
    }
    parts.percentEncodedPath = URLReference.removingDots(parts.percentEncodedPath)
    guard let url = parts.url, url.absoluteString.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw invalid("the URL can't be read") }
    return url
  }
}

extension String {
  /// Whether this is a token of RFC 9110 section 5.6.2.
  package var isToken: Bool {
    !isEmpty
      && hasOnlyBytes { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
          true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// Whether this can stand as a field value (RFC 9110 section 5.5): no control character but the tab.
  var isFieldValue: Bool { hasOnlyBytes { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }

  /// Whether this host, escapes and all, has one end for all who read it: unescaped, none of its letters is a
  /// delimiter of URLs or a control character.
  fileprivate var isHost: Bool {
    // The zone of an IPv6 address stands behind an escaped percent sign (RFC 6874).
    guard utf8.contains(UInt8(ascii: "%")), !utf8.contains(UInt8(ascii: ":")) else { return true }
    return removingPercentEncoding?.utf8.allSatisfy { byte in
      byte > 0x20 && byte != 0x7F && !"/\\?#@:[]%<>".utf8.contains(byte)
    } ?? false
  }

  /// Whether the text begins or ends with a space or a tab.
  fileprivate var isSurroundedBySpace: Bool {
    guard let first = utf8.first, let last = utf8.last else { return false }
    return first == 0x20 || first == 0x09 || last == 0x20 || last == 0x09
  }
}

extension WireRequest.NetworkAccess {
  init(_ options: Request.Options) {
    cellular = options.allowsCellularAccess
    constrained = options.allowsConstrainedNetworkAccess
    expensive = options.allowsExpensiveNetworkAccess
  }
}

extension WireRequest {
  /// The position of a request within a load.
  public struct Hop: Sendable, Hashable {
    /// The number of redirects before it; 0 for the original request.
    public var redirects: Int
    /// The URL of the first request of the load.
    public var origin: URL
  }
}
