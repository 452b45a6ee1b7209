/// A request method (RFC 9110 section 9). An open set; names are case-sensitive.
public struct RequestMethod: RawRepresentable, Hashable, Sendable {
  /// The name as it is sent.
  public let rawValue: String

  /// Creates a method.
  ///
  /// - Parameter rawValue: A token of RFC 9110 section 5.6.2; anything else is refused when the
  ///   request is loaded.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Reads a resource.
  public static let get = RequestMethod(rawValue: "GET")
  /// Reads a resource's headers only.
  public static let head = RequestMethod(rawValue: "HEAD")
  /// Reads what the resource finds by the query in the body (RFC 10008).
  public static let query = RequestMethod(rawValue: "QUERY")
  /// Lets the resource process the body.
  public static let post = RequestMethod(rawValue: "POST")
  /// Replaces a resource.
  public static let put = RequestMethod(rawValue: "PUT")
  /// Changes part of a resource (RFC 5789).
  public static let patch = RequestMethod(rawValue: "PATCH")
  /// Removes a resource.
  public static let delete = RequestMethod(rawValue: "DELETE")
  /// Asks for the communication options of a resource.
  public static let options = RequestMethod(rawValue: "OPTIONS")
}

extension RequestMethod {
  /// Whether requests with this method change nothing (RFC 9110 section 9.2.1).
  package var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"].contains(rawValue) }

  /// Whether a repeated request has the effect of a single one (RFC 9110 section 9.2.2).
  package var isIdempotent: Bool { isSafe || self == .put || self == .delete }

  /// Returns whether a request may be repeated if its outcome isn't known: as `mark`
  /// (``Request/Options/isIdempotent``) says, or because it has an `Idempotency-Key`, or by its
  /// method.
  func isRepeatable(_ headers: Headers, markedAs mark: Bool?) -> Bool {
    mark ?? (isIdempotent || headers[.idempotencyKey] != nil)
  }
}

extension RequestMethod: CustomStringConvertible {
  /// The name as it is sent.
  public var description: String { rawValue }
}
