/// An HTTP status code (RFC 9110 section 15). An open set: any number is allowed.
public struct Status: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The code, usually 100 to 599.
  public let rawValue: Int

  /// Makes a status from a code.
  ///
  /// - Parameter rawValue: Any number; nothing is checked.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Makes a status from a literal code.
  ///
  /// - Parameter value: Any number; nothing is checked.
  public init(integerLiteral value: Int) { self.init(rawValue: value) }

  /// 200, the request succeeded.
  public static let ok: Status = 200
  /// 204, the request succeeded and there is no body.
  public static let noContent: Status = 204
  /// 304, the stored response is still valid.
  public static let notModified: Status = 304
  /// 401, the request lacks valid credentials.
  public static let unauthorized: Status = 401
  /// 404, there is no such resource.
  public static let notFound: Status = 404
}

extension Status {
  /// Whether the code is 1xx.
  public var isInformational: Bool { (100..<200).contains(rawValue) }
  /// Whether the code is 2xx.
  public var isSuccess: Bool { (200..<300).contains(rawValue) }
}

extension Status: CustomStringConvertible {
  /// The code with its reason phrase, if it is registered: `404 Not Found`.
  public var description: String {
    guard let reason else { return "\(rawValue)" }
    return "\(rawValue) \(reason)"
  }

  /// The registered reason phrase (RFC 9110 section 15, RFC 6585, RFC 8470), or `nil` for other codes.
  public var reason: String? { Self.reasons[rawValue] }

  private static let reasons: [Int: String] = [
    100: "Continue", 101: "Switching Protocols", 103: "Early Hints",
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information",
    204: "No Content", 205: "Reset Content", 206: "Partial Content",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content",
    425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
    429: "Too Many Requests", 431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    511: "Network Authentication Required",
  ]
}
