/// What to load, and how to read what comes back: a request paired with a parser.
///
/// A resource is a value. It does nothing until a ``Loader`` loads it, it can be loaded any number of
/// times, and it can be kept, passed on and changed like any other value.
///
/// ```swift
/// extension Resource where R == User {
///   static func user(_ login: String) -> Self {
///     Resource(json: Request(url: URL(string: "https://api.github.com/users/\(login)")!))
///   }
/// }
/// ```
public struct Resource<R: Sendable>: Sendable {
  /// What is sent.
  public var request: Request

  /// Reads the value out of a response whose status was accepted.
  ///
  /// It runs off every serial queue, in parallel with the parsers of other loads, exactly once for each
  /// load that got as far as an accepted response. What it throws reaches the caller as a ``LoadError``
  /// of kind ``LoadError/Kind/parsing``, unless it is a ``LoadError`` or a `CancellationError` already.
  public var parser: @Sendable (Response) throws -> R { didSet { parsing = .unknown } }

  /// What is known of the parser's time.
  private(set) var parsing = ParsingTime.unknown

  /// Is told how far the bodies have come; see ``onProgress(_:)``.
  var progress: (@Sendable (TransferProgress) -> Void)?

  /// Pairs a request with a parser that sees the whole response.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - parser: Reads the value out of an accepted response.
  public init(_ request: Request, parser: @escaping @Sendable (Response) throws -> R) {
    self.request = request
    self.parser = parser
  }

  /// Pairs a request with a parser of whose time something is known.
  package init(
    _ request: Request, parsing: ParsingTime,
    parser: @escaping @Sendable (Response) throws -> R
  ) {
    self.request = request
    self.parser = parser
    self.parsing = parsing
  }
}

extension Resource: Endpoint {
  /// The resource itself: a resource is its own endpoint.
  public var resource: Resource<R> { self }
}
