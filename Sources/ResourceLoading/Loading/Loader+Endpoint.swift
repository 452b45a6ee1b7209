extension Loader {
  /// Loads the resource that an endpoint stands for.
  ///
  /// - Parameter endpoint: A case of a router, a request struct, or anything else with a resource.
  /// - Returns: What the resource's parser made of the response.
  /// - Throws: A ``LoadError`` that says what went wrong, or `CancellationError` if the load was cancelled.
  public func load<E: Endpoint>(_ endpoint: E) async throws -> E.R {
    try await load(endpoint.resource)
  }
}
