public import Foundation

extension Resource {
  /// Pairs a `GET` of a URL with a parser of the body.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - parser: Reads the value out of the decoded body; it gets empty data where there is no body.
  public init(url: URL, parser: @escaping @Sendable (Data) throws -> R) {
    self.init(Request(url: url)) { response in try parser(response.body) }
  }

  /// The URL of the request, its query included; relative if the request only has a path.
  public var url: URL { request.url }

  /// A resource of the same request whose value is transformed after parsing.
  ///
  /// - Parameter transform: Runs right after the parser and in the same place. What it throws is reported
  ///   like what a parser throws.
  /// - Returns: The resource of the transformed value.
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (R) throws -> T
  ) -> Resource<T> {
    derived(parsing: parsing.transformed) { [parser] response in try transform(parser(response)) }
  }

  /// A resource that is this one in everything but what is made of the response.
  ///
  /// - Parameters:
  ///   - request: What is sent instead; `nil` for the same.
  ///   - parsing: What is known of the time of the new parser.
  ///   - parser: The new parser.
  func derived<T: Sendable>(
    sending request: Request? = nil, parsing: ParsingTime,
    parser: @escaping @Sendable (Response) throws -> T
  ) -> Resource<T> {
    var derived = Resource<T>(request ?? self.request, parsing: parsing, parser: parser)
    derived.progress = progress
    return derived
  }
}
