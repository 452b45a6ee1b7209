/// Why a load failed, with the evidence.
///
/// Everything this library throws is a `LoadError` or a `CancellationError`, and the callback, the promise
/// and the `await` form of a load deliver the same one. `kind` is for programs, ``description`` for
/// people: it tells the whole story in a few lines and never shows a secret.
public struct LoadError: Error, Sendable {
  /// What went wrong, for a `switch`.
  public var kind: Kind

  /// What went wrong, in a sentence without a full stop.
  public var reason: String

  /// What to do about it, in a sentence without a full stop; `nil` where the reason says it all.
  public var advice: String?

  /// The request as a cURL command with every secret replaced; `nil` if there was none yet.
  public var request: String?

  /// What the server answered, if it got that far.
  public var response: ReceivedResponse?

  /// What the server itself says about the failure, found in the body: the `detail` or `title` of problem
  /// details (RFC 9457), GraphQL's `errors`, or a member called `message`, `error` or the like.
  public var serverMessage: String?

  /// Where parsing failed, for an error of kind ``Kind/parsing``.
  public var parsing: ParsingFailure?

  /// Every exchange that was made, in order: redirects, and retries where there were any.
  public var attempts: [Attempt]

  /// The error underneath, freed of secrets; `nil` where there is none.
  public var underlying: (any Error)?

  /// Makes an error of a kind for a reason; evidence is added by setting the properties.
  ///
  /// - Parameters:
  ///   - kind: What went wrong, for a `switch`.
  ///   - reason: What went wrong, in a sentence without a full stop.
  ///   - advice: What to do about it.
  ///   - underlying: The error underneath.
  public init(
    _ kind: Kind, _ reason: String, advice: String? = nil, underlying: (any Error)? = nil
  ) {
    self.kind = kind
    self.reason = reason
    self.advice = advice
    self.underlying = underlying
    self.attempts = []
  }
}

extension LoadError {
  /// What went wrong, for a `switch`. An open set: a `default` is always needed, and modules built on this
  /// one add kinds of their own.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// A short name in plain words, shown at the head of the description.
    public let rawValue: String

    /// Makes a kind of one's own.
    ///
    /// - Parameter rawValue: A short name in plain words.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request can't be sent as it is; nothing was sent.
    public static let invalidRequest = Kind(rawValue: "invalid request")
    /// A time limit passed.
    public static let timedOut = Kind(rawValue: "timed out")
    /// There was no connection, or it broke, or what came over it wasn't a whole HTTP response.
    public static let connection = Kind(rawValue: "connection failed")
    /// TLS failed: the certificate, the name, or the handshake.
    public static let secureConnection = Kind(rawValue: "secure connection failed")
    /// The host has an address that mustn't be connected to; nothing was sent.
    public static let address = Kind(rawValue: "address refused")
    /// A redirect can't be followed: too many, to a less secure scheme, or to nowhere.
    public static let redirect = Kind(rawValue: "redirect refused")
    /// The server answered with a status that isn't accepted.
    public static let status = Kind(rawValue: "unaccepted status")
    /// The body is larger than the limit.
    public static let tooLarge = Kind(rawValue: "response too large")
    /// The body isn't what the resource's parser reads.
    public static let parsing = Kind(rawValue: "parsing failed")
    /// Credentials are missing, or couldn't be renewed.
    public static let authentication = Kind(rawValue: "authentication failed")
    /// A file couldn't be written.
    public static let file = Kind(rawValue: "file failed")
    /// A middleware threw an error of its own, which is the underlying one.
    public static let middleware = Kind(rawValue: "middleware failed")
    /// A GraphQL server reports errors.
    public static let graphQL = Kind(rawValue: "GraphQL errors")
    /// There is no way from one page of a sequence to the next.
    public static let paging = Kind(rawValue: "paging failed")
    /// Nothing may be sent, and nothing is stored that could be used.
    public static let notCached = Kind(rawValue: "not in the cache")
    /// A store couldn't read or write.
    public static let store = Kind(rawValue: "store failed")
    /// Whoever would have carried out the load was shut down.
    public static let closed = Kind(rawValue: "loader closed")
  }
}

extension LoadError.Kind: CustomStringConvertible {
  /// The short name.
  public var description: String { rawValue }
}

extension LoadError {
  /// The error for a response whose status isn't accepted.
  package init(status response: Response) {
    let status = response.status
    let remark = response.tools.remark.map { " and \($0)" } ?? ""
    self.init(
      status == .unauthorized ? .authentication : .status,
      "the server answered \(status)" + remark,
      advice: Self.advice(for: status))
    serverMessage = ServerMessage.find(in: response)
  }

  private static func advice(for status: Status) -> String? {
    switch status.rawValue {
    case 300..<400: "Accept this status in options.acceptedStatuses, or let redirects be followed"
    case 401: "Send valid credentials"
    case 403: "The credentials aren't allowed to do this"
    case 404, 410: "Check the URL and its identifiers"
    case 405: "Use a method that the Allow header names"
    case 408, 425, 429, 500, 502, 503, 504: "Try again later"
    case 413: "Send less at once"
    default: nil
    }
  }
}
