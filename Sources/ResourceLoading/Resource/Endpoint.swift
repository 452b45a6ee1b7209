public import PromiseModule

/// Anything that stands for a resource: a case of a router, a request struct, or a ``Resource``
/// itself.
///
/// ```swift
/// enum GitHub: Endpoint {
///   case user(String)
///
///   var resource: Resource<User> {
///     switch self {
///     case .user(let login): .json(.get("/users/\(login)"))
///     }
///   }
/// }
/// ```
public protocol Endpoint<R>: Sendable {
  /// The type of the value.
  associatedtype R: Sendable

  /// The resource that this endpoint stands for.
  var resource: Resource<R> { get }
}

extension Loader {
  /// Loads the resource that an endpoint stands for.
  ///
  /// - Parameter endpoint: A case of a router, a request struct, or anything else with a resource.
  /// - Returns: The value that the resource's parser made of the response.
  /// - Throws: A ``LoadError`` that says what went wrong, or `CancellationError` if the load was
  ///   cancelled.
  public func load<E: Endpoint>(_ endpoint: E) async throws -> E.R {
    try await load(endpoint.resource)
  }

  /// Loads what an endpoint stands for, and calls back.
  ///
  /// - Parameters:
  ///   - endpoint: A case of a router, a request struct, or anything else with a resource.
  ///   - executor: The executor of `callback`, such as a dispatch queue; `nil` for the loader's
  ///     ``callbackExecutor``, which is the main queue only if a program has set that.
  ///   - callback: Called exactly once, after this function has returned: with the value, with a
  ///     ``LoadError``, or with `CancellationError`.
  /// - Returns: The task of the load. Cancelling it cancels the load: the callback gets
  ///   `CancellationError`, unless it has been called or is being called.
  @discardableResult
  public func load<E: Endpoint>(
    _ endpoint: E, on executor: (any PromiseExecutor)? = nil,
    callback: @escaping @Sendable (Result<E.R, any Error>) -> Void
  ) -> Task<Void, Never> {
    load(endpoint.resource, on: executor, callback: callback)
  }

  /// A promise for what an endpoint stands for. The load starts at once.
  ///
  /// - Parameter endpoint: A case of a router, a request struct, or anything else with a resource.
  /// - Returns: A promise that is fulfilled with the value, or rejected with a ``LoadError`` or
  ///   `CancellationError`. Cancelling it cancels the load.
  public func promise<E: Endpoint>(for endpoint: E) -> Promise<E.R> {
    promise(for: endpoint.resource)
  }
}
