public import Foundation

/// A request paired with a parser: something to load, and how to read the response.
///
/// A resource is a value. It does nothing until a ``Loader`` loads it, it can be loaded any number
/// of times, and it can be kept, passed on and changed like any other value.
///
/// ```swift
/// extension Resource where R == User {
///   static func user(_ login: String) -> Self { .json(.get("/users/\(login)")) }
/// }
/// ```
public struct Resource<R: Sendable>: Sendable {
  /// The request.
  public var request: Request

  /// Reads the value out of a response whose status was accepted.
  ///
  /// It runs off every serial queue, in parallel with the parsers of other loads, exactly once for
  /// each load that has an accepted response. An error that it throws reaches the caller as the
  /// ``LoadError/underlying`` error of a ``LoadError`` of kind ``LoadError/Kind/parsing``, unless
  /// it is a ``LoadError`` or a `CancellationError` already.
  public var parser: @Sendable (Response) throws -> R { didSet { parsing = .unknown } }

  /// The expected duration of the parser.
  package private(set) var parsing = ParsingTime.unknown

  /// The observer of the transfer of the bodies; see ``onProgress(of:_:)``.
  package var progress: (@Sendable (TransferProgress) -> Void)?

  /// The reader of the bodies of responses whose status isn't accepted; `nil` for that of the
  /// client.
  public var errorBody: ErrorBody?

  /// The response for previews and tests; see ``SampleLoader``.
  public var sample: SampleResponse?

  /// Pairs a request with a parser that sees the whole response.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - parser: Reads the value out of an accepted response.
  public init(_ request: Request, parser: @escaping @Sendable (Response) throws -> R) {
    self.request = request
    self.parser = parser
  }

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

extension Resource {
  /// Pairs a `GET` of a URL with a parser of the body.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - parser: Reads the value out of the decoded body; it gets empty data where there is no
  ///     body.
  public init(url: URL, parser: @escaping @Sendable (Data) throws -> R) {
    self.init(Request(url: url)) { response in try parser(response.body) }
  }

  /// A resource of the same request whose value is transformed after parsing.
  ///
  /// - Parameter transform: Runs right after the parser and in the same place. An error that it
  ///   throws is reported like one of a parser.
  /// - Returns: The resource of the transformed value.
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (R) throws -> T
  ) -> Resource<T> {
    derived(parsing: parsing.transformed) { [parser] response in try transform(parser(response)) }
  }

  /// The same resource, with a type for the bodies of responses whose status isn't accepted.
  ///
  /// - Parameter errorBody: The reader of such bodies.
  public func errorBody(_ errorBody: ErrorBody) -> Resource {
    var resource = self
    resource.errorBody = errorBody
    return resource
  }

  /// Returns a resource that differs only in its request and in what is made of the response.
  package func derived<T: Sendable>(
    sending request: Request? = nil, parsing: ParsingTime,
    parser: @escaping @Sendable (Response) throws -> T
  ) -> Resource<T> {
    var derived = Resource<T>(request ?? self.request, parsing: parsing, parser: parser)
    derived.progress = progress
    derived.errorBody = errorBody
    derived.sample = sample
    return derived
  }
}

extension Resource where R == Data {
  /// The body without its content codings; empty if there is none.
  public static func data(_ request: Request) -> Self {
    Resource(request, parsing: .none) { response in response.body }
  }

  /// The body of a URL without its content codings; empty if there is none.
  public static func data(_ url: URL) -> Self { .data(Request(url: url)) }
}

extension Resource where R == String {
  /// The body as text; empty if there is no body.
  ///
  /// The charset is that of a byte order mark, else that of `Content-Type`, else UTF-8. A body that
  /// isn't text in that charset is an error of kind ``LoadError/Kind/parsing``.
  public static func text(_ request: Request) -> Self {
    Resource(request, parsing: .proportional) { response in try response.text() }
  }

  /// The body of a URL as text; empty if there is no body.
  public static func text(_ url: URL) -> Self { .text(Request(url: url)) }
}

extension Resource where R == Void {
  /// No value: the load succeeds if the status is accepted, whatever the body.
  public static func void(_ request: Request) -> Self {
    Resource(request, parsing: .none) { _ in }
  }

  /// No value: the load of a URL succeeds if the status is accepted, whatever the body.
  public static func void(_ url: URL) -> Self { .void(Request(url: url)) }
}

extension Resource {
  func parse(_ response: Response) throws -> R {
    do {
      return try parser(response)
    } catch let error as DecodingError {
      throw LoadError(
        decoding: error, of: R.self, in: response, secretNames: request.options.secretNames)
    } catch  where error is LoadError || error is CancellationError {
      throw error
    } catch {
      throw LoadError(parser: error)
    }
  }
}

extension LoadError {
  /// Creates the error for what a user's parser threw, with that error's own description.
  init(parser error: any Error) {
    let reason = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    self.init(.parsing, reason, underlying: error)
  }
}
