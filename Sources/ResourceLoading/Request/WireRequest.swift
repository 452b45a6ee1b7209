public import Foundation
import ResourcePrimitives

/// A request in the form in which it is sent: checked, absolute and complete.
///
/// It can only be created by the check of ``init(_:)`` and not be changed afterwards, so a
/// transport gets exactly what was checked.
public struct WireRequest: Sendable, Hashable {
  /// The checked draft, for creating another request.
  public private(set) var draft: Draft

  /// The method, a token.
  public var method: Request.Method { draft.method }

  /// The absolute `http` or `https` URL with a host, without user info, fragment and segments such
  /// as `..`.
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

  /// Whether the request asks for another protocol (RFC 9110 section 7.8). After a response with
  /// status 101 the bytes of the connection are the body of the response, and
  /// ``Exchange/send(_:whenTaken:)`` sends bytes in the other direction.
  public var switchesProtocols: Bool { draft.switchesProtocols }

  /// The most bytes of the response's body, before its codings are removed and after each of them;
  /// `nil` for any number. The decoded bytes are counted above the engine.
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
    /// ``WireRequest/switchesProtocols``.
    var switchesProtocols = false
    /// ``Request/Options/isIdempotent``.
    var isMarkedIdempotent: Bool?
    /// ``Request/Options/secretNames``.
    var secretNames: Set<String>?
    /// Which of the host's addresses it is sent to; `nil` for any.
    var addressChoice: AddressChoice?

    /// Creates a draft.
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

  /// The networks that a request may use, where the system distinguishes them; `nil` for what the
  /// session allows.
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

  /// Creates a request, for tests of transports and middleware.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: The absolute URL.
  ///   - headers: The headers.
  ///   - body: The bytes of the body; `nil` sends none.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if it can't be sent, as
  ///   ``init(_:)`` does.
  public init(
    _ method: Request.Method = .get, url: URL, headers: Headers = [:], body: Data? = nil
  ) throws {
    try self.init(
      Draft(method: method, url: url, headers: headers, body: body.map { WireBody($0) }))
  }

  /// Checks a request, as the last step before a transport gets it.
  ///
  /// Spaces around the values of headers are removed, and so are `Content-Length` and
  /// `Transfer-Encoding`, which the transport sets.
  ///
  /// - Parameter draft: The request.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if the method or a name
  ///   isn't a token (RFC 9110 section 5.6.2), a value has a control character (section 5.5), the
  ///   URL can't be requested, or there is a body where none can be.
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
  ///   - request: The request, with an absolute URL. Its body must not be a stream.
  ///   - encoder: The encoder for JSON without an encoder of its own.
  /// - Throws: ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` for a request that can't be
  ///   sent.
  public init(_ request: Request, encoder: JSONEncoder = JSONEncoder()) throws {
    try self.init(request, encoder: encoder, spool: nil)
  }

  /// Whether the request may be repeated if its outcome isn't known.
  var isRepeatable: Bool { method.isRepeatable(headers, markedAs: draft.isMarkedIdempotent) }
}

extension WireRequest {
  /// Prepares and checks a request with an absolute URL. `spool` has the bytes of the body if it is
  /// a stream.
  init(_ request: Request, encoder: JSONEncoder, spool: Spool?) throws {
    try request.query.check()
    let target = try Self.target(of: request)
    let isBodiless = [.get, .head].contains(request.method)
    var draft = Draft(
      method: request.method, url: target.url, headers: request.headers,
      // A body that will be refused needn't be read.
      body: try request.body.map { body in
        if isBodiless { return WireBody([]) }
        return try spool.map(body.wireBody(in:)) ?? body.wireBody(encoder: encoder)
      })
    draft.idleTimeout = request.options.idleTimeout
    draft.priority = request.options.priority
    draft.networkAccess = NetworkAccess(request.options)
    draft.isMarkedIdempotent = request.options.isIdempotent
    draft.secretNames = request.options.secretNames
    if let body = request.body, draft.headers[.contentType] == nil {
      draft.headers[.contentType] = body.contentType.rawValue
    }
    if let credential = target.credential, draft.headers[.authorization] == nil {
      draft.headers[.authorization] = credential
    }
    try self.init(draft)
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
