public import Foundation

// Callbacks without an executor of their own run where the client's configuration says.

extension Client {
  /// Loads a resource and calls back on the client's executor.
  ///
  /// - Parameters:
  ///   - resource: What to load and how to read it.
  ///   - callback: Is called exactly once, on ``Configuration/callbackExecutor``: with the value, with a
  ///     ``LoadError``, or with `CancellationError`.
  /// - Returns: The way to cancel the load. Letting go of it changes nothing.
  @discardableResult
  public func load<R>(
    _ resource: Resource<R>, callback: @escaping @Sendable (Result<R, any Error>) -> Void
  ) -> LoadTask {
    load(resource, on: configuration.callbackExecutor, callback: callback)
  }

  /// Loads what an endpoint stands for and calls back on the client's executor.
  ///
  /// - Parameters:
  ///   - endpoint: A case of a router, a request struct, or anything else with a resource.
  ///   - callback: Is called exactly once, on ``Configuration/callbackExecutor``: with the value, with a
  ///     ``LoadError``, or with `CancellationError`.
  /// - Returns: The way to cancel the load. Letting go of it changes nothing.
  @discardableResult
  public func load<E: Endpoint>(
    _ endpoint: E, callback: @escaping @Sendable (Result<E.R, any Error>) -> Void
  ) -> LoadTask {
    load(endpoint.resource, on: configuration.callbackExecutor, callback: callback)
  }

  /// Loads a URL and calls back on the client's executor.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - parser: Reads the value out of the decoded body.
  ///   - callback: Is called exactly once, on ``Configuration/callbackExecutor``: with the value, with a
  ///     ``LoadError``, or with `CancellationError`.
  /// - Returns: The way to cancel the load. Letting go of it changes nothing.
  @discardableResult
  public func load<R: Sendable>(
    _ url: URL, parser: @escaping @Sendable (Data) throws -> R,
    callback: @escaping @Sendable (Result<R, any Error>) -> Void
  ) -> LoadTask {
    load(
      Resource(url: url, parser: parser), on: configuration.callbackExecutor, callback: callback)
  }
}
