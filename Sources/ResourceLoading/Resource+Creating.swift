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
    var mapped = Resource<T>(request) { [parser] response in try transform(parser(response)) }
    mapped.progress = progress
    return mapped
  }
}
