public import Foundation

/// A made-up response of a resource, for previews and tests; see ``SampleLoader``.
public final class SampleResponse: Sendable {
  // A class, since every load in flight keeps its resource.

  /// The status code.
  public let status: Status
  /// The headers.
  public let headers: Headers
  /// The decoded body.
  public let body: Data

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - body: The decoded body.
  ///   - status: The status code.
  ///   - headers: The headers.
  public init(_ body: Data = Data(), status: Status = .ok, headers: Headers = [:]) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}

extension Resource {
  /// The same resource with a response for previews and tests.
  ///
  /// ```swift
  /// extension Resource where R == Ticket {
  ///   static func ticket(_ id: Int) -> Self {
  ///     .json(.get("/tickets/\(id)")).sample(#"{"title": "It rains in"}"#)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - text: The body in UTF-8.
  ///   - mediaType: Its media type.
  ///   - status: The status code.
  public func sample(
    _ text: String, as mediaType: MediaType = .json, status: Status = .ok
  ) -> Resource {
    sample(
      SampleResponse(
        Data(text.utf8), status: status, headers: [.contentType: mediaType.rawValue]))
  }

  /// The same resource with a response for previews and tests.
  ///
  /// - Parameter response: The response.
  public func sample(_ response: SampleResponse) -> Resource {
    var resource = self
    resource.sample = response
    return resource
  }

  /// The value of the resource's sample, read as every load reads a response.
  ///
  /// - Parameter decoder: The decoder of JSON for a resource without one of its own; `nil` for a
  ///   plain one.
  /// - Returns: The value that the parser made of the sample.
  /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/invalidRequest`` if the resource has no
  ///   sample, and otherwise what ``read(_:decoder:)`` throws.
  public func sampleValue(decoder: JSONDecoder? = nil) async throws -> R {
    guard let sample else {
      var error = LoadError(
        .invalidRequest, "the resource has no sample",
        advice: "Give it one by sample(_:), or load it with another loader")
      error.curlCommand = request.curlCommand
      throw error
    }
    return try await read(
      Response(
        url: request.url, method: request.method, status: sample.status, headers: sample.headers,
        body: sample.body), decoder: decoder)
  }
}

/// A loader without a network, which answers each resource with its own sample: for previews of
/// user interfaces, and for tests.
///
/// ```swift
/// let preview = SampleLoader(decoder: client.configuration.decoder, delay: .seconds(1))
/// ```
///
/// The status of a sample is checked and its body is parsed as those of a real response.
public struct SampleLoader: Loader {
  private let decoder: JSONDecoder?
  private let delay: Duration?

  /// Creates a loader.
  ///
  /// - Parameters:
  ///   - decoder: The decoder for resources that name none: ``Client/Configuration/decoder`` of the
  ///     client that it stands for. It is used on several threads at once: don't change it
  ///     afterwards.
  ///   - delay: The duration of each load, to see what is shown in the meantime; `nil` for none.
  public init(decoder: JSONDecoder? = nil, delay: Duration? = nil) {
    self.decoder = decoder
    self.delay = delay
  }

  /// Reads the value out of a resource's sample.
  ///
  /// - Throws: What ``Resource/sampleValue(decoder:)`` throws; `CancellationError` if the calling
  ///   task is cancelled.
  @concurrent
  public func load<R>(_ resource: Resource<R>) async throws -> R {
    try Task.checkCancellation()
    if let delay { try await Task.sleep(for: delay) }
    return try await resource.sampleValue(decoder: decoder)
  }
}
