/// The reason why a load failed, with everything that is known about it.
///
/// Every error of this library is a `LoadError` or a `CancellationError`, and the callback, promise
/// and `await` forms of a load deliver the same one. `kind` is for programs, ``description`` for
/// people: it is complete in a few lines and never contains a secret.
public struct LoadError: Error, Sendable {
  /// The kind of the error, for a `switch`.
  public var kind: Kind

  /// The reason, in a sentence without a full stop.
  public var reason: String

  /// The remedy, in a sentence without a full stop; `nil` if the reason suffices.
  public var advice: String?

  /// The request as a cURL command with every secret replaced; `nil` if there was no request yet.
  public var curlCommand: String?

  /// The server's response, if there was one.
  public var response: ReceivedResponse?

  /// The server's own message, from the body: the `detail` or `title` of problem details (RFC
  /// 9457), GraphQL's `errors`, or a member such as `message` or `error`.
  public var serverMessage: String?

  /// What ``errorBody(as:)`` returns. It is in no description, and no secrets in it are replaced.
  package var errorBody: (any Sendable)?

  /// Where parsing failed, for an error of kind ``Kind/parsing``.
  public var parsing: ParsingFailure?

  /// All exchanges in order, redirects and retries included.
  public var attempts: [Attempt]

  /// The underlying error as it was thrown, if there is one, for `as?`. What the load's middleware,
  /// parser or body has thrown may contain a secret in its own text; ``reason`` has its text with
  /// secrets replaced.
  public var underlying: (any Error)?

  /// Creates an error; details are added by setting the properties.
  ///
  /// - Parameters:
  ///   - kind: The kind of the error.
  ///   - reason: The reason, in a sentence without a full stop.
  ///   - advice: The remedy, in a sentence without a full stop.
  ///   - underlying: The underlying error.
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
  /// Returns the service's own description of the error: the body of a response whose status wasn't
  /// accepted, as the ``ErrorBody`` of the resource or its client reads it. No secrets in it are
  /// replaced.
  ///
  /// - Parameter type: The type that the ``ErrorBody`` reads.
  /// - Returns: `nil` if there is no such body, if it can't be read so, or if it is read as another
  ///   type.
  public func errorBody<Value: Sendable>(as type: Value.Type = Value.self) -> Value? {
    errorBody as? Value
  }
}

extension LoadError {
  /// The kind of an error. An open set: a `switch` needs a `default`, and other modules add kinds
  /// of their own.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// A stable identifier, such as `timedOut`, for programs and files.
    public let rawValue: String

    /// Creates a new kind.
    ///
    /// - Parameter rawValue: An identifier; it stands at the head of the description as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request can't be sent as it is; nothing was sent.
    public static let invalidRequest = Kind(rawValue: "invalidRequest")
    /// A time limit passed.
    public static let timedOut = Kind(rawValue: "timedOut")
    /// The connection failed or broke, or the bytes weren't a complete HTTP response.
    public static let connection = Kind(rawValue: "connection")
    /// TLS failed: the certificate, the name, or the handshake.
    public static let secureConnection = Kind(rawValue: "secureConnection")
    /// The host has an address to which connections aren't allowed; nothing was sent.
    public static let address = Kind(rawValue: "address")
    /// A redirect can't be followed: too many, to a less secure scheme, or without a valid URL.
    public static let redirect = Kind(rawValue: "redirect")
    /// The server answered with a status that isn't accepted.
    public static let status = Kind(rawValue: "status")
    /// The body is larger than the limit.
    public static let tooLarge = Kind(rawValue: "tooLarge")
    /// The resource's parser can't read the body.
    public static let parsing = Kind(rawValue: "parsing")
    /// Credentials are missing, or couldn't be renewed.
    public static let authentication = Kind(rawValue: "authentication")
    /// A file couldn't be written.
    public static let file = Kind(rawValue: "file")
    /// A file that was loaded hasn't the digest or the size that it should have; it was removed.
    public static let digest = Kind(rawValue: "digest")
    /// A middleware threw an error of its own, which is the underlying error.
    public static let middleware = Kind(rawValue: "middleware")
    /// A GraphQL server reports errors.
    public static let graphQL = Kind(rawValue: "graphQL")
    /// The next page of a sequence can't be determined.
    public static let paging = Kind(rawValue: "paging")
    /// The request may only be answered from a cache, and nothing usable is stored.
    public static let notCached = Kind(rawValue: "notCached")
    /// A store couldn't read or write.
    public static let store = Kind(rawValue: "store")
    /// The host has failed so often that a ``CircuitBreakerMiddleware`` sends nothing to it.
    public static let circuitOpen = Kind(rawValue: "circuitOpen")
    /// The client, the session, the store or the socket was closed.
    public static let closed = Kind(rawValue: "closed")
  }
}

extension LoadError.Kind: CustomStringConvertible {
  /// The kind in a few words, as it stands at the head of an error's description; of a kind that
  /// this library doesn't know, the identifier.
  public var description: String { Self.names[self] ?? rawValue }

  private static let names: [Self: String] = [
    .invalidRequest: "invalid request",
    .timedOut: "timed out",
    .connection: "connection failed",
    .secureConnection: "secure connection failed",
    .address: "address refused",
    .redirect: "redirect refused",
    .status: "unaccepted status",
    .tooLarge: "response too large",
    .parsing: "parsing failed",
    .authentication: "authentication failed",
    .file: "file failed",
    .digest: "wrong content",
    .middleware: "middleware failed",
    .graphQL: "GraphQL errors",
    .paging: "paging failed",
    .notCached: "not in the cache",
    .store: "store failed",
    .circuitOpen: "circuit open",
    .closed: "closed",
  ]
}

extension LoadError {
  /// Creates the error for a request that may only be answered from a cache, if nothing usable is
  /// stored.
  package static var notCached: LoadError {
    LoadError(
      .notCached, "nothing that could be used is in the cache, and nothing may be sent",
      advice: "Allow the network by another cachePolicy, or without only-if-cached")
  }
}
