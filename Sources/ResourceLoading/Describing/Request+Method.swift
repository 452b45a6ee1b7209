extension Request {
  /// A request method (RFC 9110 section 9). An open set; names are case-sensitive.
  public struct Method: RawRepresentable, Hashable, Sendable {
    /// The name as it is sent.
    public let rawValue: String

    /// Wraps a name.
    ///
    /// - Parameter rawValue: A token of RFC 9110 section 5.6.2; anything else is refused when the request
    ///   is loaded.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reads a resource.
    public static let get = Method(rawValue: "GET")
    /// Reads a resource's headers only.
    public static let head = Method(rawValue: "HEAD")
    /// Has the resource process the body.
    public static let post = Method(rawValue: "POST")
    /// Replaces a resource.
    public static let put = Method(rawValue: "PUT")
    /// Changes a part of a resource (RFC 5789).
    public static let patch = Method(rawValue: "PATCH")
    /// Removes a resource.
    public static let delete = Method(rawValue: "DELETE")
    /// Asks what can be done with a resource.
    public static let options = Method(rawValue: "OPTIONS")
  }
}

extension Request.Method {
  /// Whether a request may be sent again if it isn't known what became of it (RFC 9110 section 9.2.2).
  ///
  /// - Parameters:
  ///   - headers: Those of the request: an `Idempotency-Key` makes any request one of these.
  ///   - mark: What ``Request/Options/isIdempotent`` says, which goes before everything else.
  func isRepeatable(_ headers: Headers, markedAs mark: Bool?) -> Bool {
    if let mark { return mark }
    return switch rawValue {
    case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
    default: headers[.idempotencyKey] != nil
    }
  }
}

extension Request.Method: CustomStringConvertible {
  /// The name as it is sent.
  public var description: String { rawValue }
}
