public import PromiseModule

extension Loader {
  /// A promise for a resource. The load starts at once.
  ///
  /// ```swift
  /// session.promise(for: user)
  ///   .then { session.promise(for: repositories(of: $0)) }
  ///   .map(\.count)
  ///   .done { print($0) }
  /// ```
  ///
  /// - Parameter resource: What to load and how to read it.
  /// - Returns: A promise that is fulfilled with the value, or rejected with a ``LoadError`` or
  ///   `CancellationError`. Cancelling it cancels the load.
  public func promise<R>(for resource: Resource<R>) -> Promise<R> {
    Promise { try await load(resource) }
  }
}
