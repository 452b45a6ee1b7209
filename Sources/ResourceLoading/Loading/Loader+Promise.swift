public import PromiseModule

extension Loader {
  /// A promise for what an endpoint stands for. The load starts at once.
  ///
  /// ```swift
  /// session.promise(for: user)
  ///   .then { session.promise(for: repositories(of: $0)) }
  ///   .map(\.count)
  ///   .done { print($0) }
  /// ```
  ///
  /// - Parameter endpoint: A ``Resource``, or anything else that stands for one.
  /// - Returns: A promise that is fulfilled with the value, or rejected with a ``LoadError`` or
  ///   `CancellationError`. Cancelling it cancels the load.
  public func promise<E: Endpoint>(for endpoint: E) -> Promise<E.R> {
    Promise { try await load(endpoint.resource) }
  }
}
