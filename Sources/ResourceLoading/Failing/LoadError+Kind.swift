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
