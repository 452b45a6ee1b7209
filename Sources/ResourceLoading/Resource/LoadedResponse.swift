/// A loaded value with the response that it was read from.
///
/// ```swift
/// let loaded = try await client.response(for: .member("octocat"))
/// print(loaded.value.login, loaded.response.status, loaded.response.source)
/// ```
public struct LoadedResponse<R: Sendable>: Sendable {
  /// The value that the resource's parser made of the response.
  public var value: R

  /// The whole response, with the bytes of its body.
  public var response: Response

  /// Creates a pair, for your own loaders and for tests.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - response: The response that it was read from.
  public init(value: R, response: Response) {
    self.value = value
    self.response = response
  }
}

/// A value that comes with its response, for stubs of values.
package protocol ValueWithResponse {
  /// - Returns: `nil` if the value has another type.
  init?(_ value: any Sendable, from response: Response)
}

extension LoadedResponse: ValueWithResponse {
  package init?(_ value: any Sendable, from response: Response) {
    guard let value = value as? R else { return nil }
    self.init(value: value, response: response)
  }
}

extension Resource {
  /// The same resource, whose value comes with the response that it is read from.
  ///
  /// It is loaded in every form, in batches and in pages; ``Loader/response(for:)`` is the short
  /// way with `await`.
  public var withResponse: Resource<LoadedResponse<R>> {
    derived(parsing: parsing) { [self] response in
      LoadedResponse(value: try parse(response), response: response)
    }
  }
}

extension Loader {
  /// Loads a resource, and gives its value with the response that it was read from.
  ///
  /// - Parameter resource: The resource.
  /// - Returns: The value, with the status, the headers and the provenance of the response.
  /// - Throws: A ``LoadError`` that says what went wrong, or `CancellationError` if the load was
  ///   cancelled.
  public func response<R>(for resource: Resource<R>) async throws -> LoadedResponse<R> {
    try await load(resource.withResponse)
  }
}
