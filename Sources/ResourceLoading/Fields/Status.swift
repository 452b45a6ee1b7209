/// An HTTP status code (RFC 9110 section 15). An open set: any number is allowed.
public struct Status: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The code, usually 100 to 599.
  public let rawValue: Int

  /// Creates a status from a code.
  ///
  /// - Parameter rawValue: Any number; nothing is checked.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Creates a status from a literal code.
  ///
  /// - Parameter value: Any number; nothing is checked.
  public init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension Status {
  /// Whether the code is 1xx.
  public var isInformational: Bool { (100..<200).contains(rawValue) }
  /// Whether the code is 2xx.
  public var isSuccess: Bool { (200..<300).contains(rawValue) }
  /// Whether the code is 3xx, which includes 304.
  public var isRedirection: Bool { (300..<400).contains(rawValue) }
  /// Whether the code is 4xx.
  public var isClientError: Bool { (400..<500).contains(rawValue) }
  /// Whether the code is 5xx.
  public var isServerError: Bool { (500..<600).contains(rawValue) }
}

extension Status {
  /// Statuses of failures that may be temporary.
  static let transient: Set<Status> = [408, 425, 429, 500, 502, 503, 504]
}

extension Status: Comparable {
  /// By their codes, so that a `switch` may have ranges of them: `case 500...599`.
  public static func < (one: Status, other: Status) -> Bool { one.rawValue < other.rawValue }
}

extension Status: CustomStringConvertible {
  /// The code with its reason phrase, if it is registered: `404 Not Found`.
  public var description: String {
    guard let reason else { return "\(rawValue)" }
    return "\(rawValue) \(reason)"
  }

  /// The registered reason phrase, or `nil` for other codes.
  public var reason: String? { Self.reasons[rawValue] }
}

// The registry of IANA, "Hypertext Transfer Protocol (HTTP) Status Code Registry", without what is
// marked unused. What names no other document is in RFC 9110 section 15.

extension Status {
  /// 100, the request may continue.
  public static let `continue`: Status = 100
  /// 101, the connection changes to another protocol.
  public static let switchingProtocols: Status = 101
  /// 102, the request is being processed (RFC 2518).
  public static let processing: Status = 102
  /// 103, headers that the answer will probably have (RFC 8297).
  public static let earlyHints: Status = 103
  /// 104, an upload can be resumed (draft-ietf-httpbis-resumable-upload).
  public static let uploadResumptionSupported: Status = 104
  /// 200, the request succeeded.
  public static let ok: Status = 200
  /// 201, a resource was created.
  public static let created: Status = 201
  /// 202, the request will be processed.
  public static let accepted: Status = 202
  /// 203, the body was changed by a proxy.
  public static let nonAuthoritativeInformation: Status = 203
  /// 204, the request succeeded and there is no body.
  public static let noContent: Status = 204
  /// 205, the view that sent the request is to be reset.
  public static let resetContent: Status = 205
  /// 206, the body is the requested part.
  public static let partialContent: Status = 206
  /// 207, the body has several statuses (RFC 4918).
  public static let multiStatus: Status = 207
  /// 208, a member was listed before (RFC 5842).
  public static let alreadyReported: Status = 208
  /// 226, the body is the result of instance manipulations (RFC 3229).
  public static let imUsed: Status = 226
  /// 300, there are several representations.
  public static let multipleChoices: Status = 300
  /// 301, the resource has another URL for good.
  public static let movedPermanently: Status = 301
  /// 302, the resource is at another URL for now.
  public static let found: Status = 302
  /// 303, the answer is at another URL.
  public static let seeOther: Status = 303
  /// 304, the stored response is still valid.
  public static let notModified: Status = 304
  /// 305, deprecated.
  public static let useProxy: Status = 305
  /// 307, the same request goes to another URL for now.
  public static let temporaryRedirect: Status = 307
  /// 308, the same request goes to another URL for good.
  public static let permanentRedirect: Status = 308
  /// 400, the server doesn't understand the request.
  public static let badRequest: Status = 400
  /// 401, the request lacks valid credentials.
  public static let unauthorized: Status = 401
  /// 402, reserved.
  public static let paymentRequired: Status = 402
  /// 403, the server refuses the request.
  public static let forbidden: Status = 403
  /// 404, there is no such resource.
  public static let notFound: Status = 404
  /// 405, the resource doesn't have this method.
  public static let methodNotAllowed: Status = 405
  /// 406, there is no representation that `Accept` allows.
  public static let notAcceptable: Status = 406
  /// 407, the proxy requires credentials.
  public static let proxyAuthenticationRequired: Status = 407
  /// 408, the request took too long to arrive.
  public static let requestTimeout: Status = 408
  /// 409, the request doesn't fit the state of the resource.
  public static let conflict: Status = 409
  /// 410, the resource was removed for good.
  public static let gone: Status = 410
  /// 411, the request lacks a `Content-Length`.
  public static let lengthRequired: Status = 411
  /// 412, a condition of the request isn't met.
  public static let preconditionFailed: Status = 412
  /// 413, the body of the request is too large.
  public static let contentTooLarge: Status = 413
  /// 414, the URL is too long.
  public static let uriTooLong: Status = 414
  /// 415, the media type of the body isn't supported.
  public static let unsupportedMediaType: Status = 415
  /// 416, the range is outside of the resource.
  public static let rangeNotSatisfiable: Status = 416
  /// 417, the `Expect` of the request can't be met.
  public static let expectationFailed: Status = 417
  /// 421, the server doesn't answer for this host.
  public static let misdirectedRequest: Status = 421
  /// 422, the body is understood, but can't be processed.
  public static let unprocessableContent: Status = 422
  /// 423, the resource is locked (RFC 4918).
  public static let locked: Status = 423
  /// 424, another request failed on which this one depends (RFC 4918).
  public static let failedDependency: Status = 424
  /// 425, the request might be a replay (RFC 8470).
  public static let tooEarly: Status = 425
  /// 426, the server requires another protocol.
  public static let upgradeRequired: Status = 426
  /// 428, the request has to be conditional (RFC 6585).
  public static let preconditionRequired: Status = 428
  /// 429, there were too many requests (RFC 6585).
  public static let tooManyRequests: Status = 429
  /// 431, the headers are too large (RFC 6585).
  public static let requestHeaderFieldsTooLarge: Status = 431
  /// 451, the law forbids the answer (RFC 7725).
  public static let unavailableForLegalReasons: Status = 451
  /// 500, the server failed.
  public static let internalServerError: Status = 500
  /// 501, the server doesn't know the method.
  public static let notImplemented: Status = 501
  /// 502, a server behind the gateway gave an invalid answer.
  public static let badGateway: Status = 502
  /// 503, the server can't answer now.
  public static let serviceUnavailable: Status = 503
  /// 504, a server behind the gateway didn't answer in time.
  public static let gatewayTimeout: Status = 504
  /// 505, the version of HTTP isn't supported.
  public static let httpVersionNotSupported: Status = 505
  /// 506, the server is misconfigured (RFC 2295).
  public static let variantAlsoNegotiates: Status = 506
  /// 507, the server has no room (RFC 4918).
  public static let insufficientStorage: Status = 507
  /// 508, the server found an endless loop (RFC 5842).
  public static let loopDetected: Status = 508
  /// 510, obsolete (RFC 2774).
  public static let notExtended: Status = 510
  /// 511, the network requires a login (RFC 6585).
  public static let networkAuthenticationRequired: Status = 511
}

extension Status {
  static let reasons: [Int: String] = [
    100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
    104: "Upload Resumption Supported", 200: "OK", 201: "Created", 202: "Accepted",
    203: "Non-Authoritative Information", 204: "No Content", 205: "Reset Content",
    206: "Partial Content", 207: "Multi-Status", 208: "Already Reported", 226: "IM Used",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content",
    423: "Locked", 424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required",
    428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 501: "Not Implemented",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    505: "HTTP Version Not Supported", 506: "Variant Also Negotiates", 507: "Insufficient Storage",
    508: "Loop Detected", 510: "Not Extended", 511: "Network Authentication Required",
  ]
}
