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

extension Request.Method: CustomStringConvertible {
  /// The name as it is sent.
  public var description: String { rawValue }
}

extension Request {
  /// A `GET` of a path below a client's base URL.
  public static func get(_ path: Path) -> Request { Request(.get, path) }
  /// A `HEAD` of a path below a client's base URL.
  public static func head(_ path: Path) -> Request { Request(.head, path) }
  /// A `POST` to a path below a client's base URL.
  public static func post(_ path: Path) -> Request { Request(.post, path) }
  /// A `PUT` to a path below a client's base URL.
  public static func put(_ path: Path) -> Request { Request(.put, path) }
  /// A `PATCH` of a path below a client's base URL.
  public static func patch(_ path: Path) -> Request { Request(.patch, path) }
  /// A `DELETE` of a path below a client's base URL.
  public static func delete(_ path: Path) -> Request { Request(.delete, path) }
}
