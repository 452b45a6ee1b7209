public import Foundation
public import PromiseModule

/// A loaded value with the response that it was read from.
///
/// ```swift
/// let loaded = try await client.response(for: .member("octocat"))
/// print(loaded.value.login, loaded.status, loaded.headers[.eTag] ?? "", loaded.source)
/// ```
public struct LoadedResponse<R: Sendable>: Sendable {
  /// The value that the resource's parser made of the response.
  public var value: R

  /// The whole response, with the bytes of its body.
  public var response: Response

  /// Makes a pair, for loaders of one's own and for tests.
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

extension LoadedResponse {
  /// The status code.
  public var status: Status { response.status }

  /// The headers.
  public var headers: Headers { response.headers }

  /// The absolute URL of the response; after redirects the last one.
  public var url: URL { response.url }

  /// Where the response came from: the server, or a cache.
  public var source: Response.Source { response.source }
}

extension Resource {
  /// The same resource, whose value comes with the response that it is read from.
  ///
  /// ``Loader/response(for:)-(Resource<R>)`` loads it; by itself it is for batches, pages and the
  /// like.
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

  /// Loads what an endpoint stands for, and gives its value with the response that it was read
  /// from.
  ///
  /// - Parameter endpoint: A case of a router, a request struct, or anything else with a resource.
  /// - Returns: The value, with the status, the headers and the provenance of the response.
  /// - Throws: A ``LoadError`` that says what went wrong, or `CancellationError` if the load was
  ///   cancelled.
  public func response<E: Endpoint>(for endpoint: E) async throws -> LoadedResponse<E.R> {
    try await load(endpoint.resource.withResponse)
  }

  /// A promise for the value of a resource with the response that it is read from. The load starts
  /// at once.
  ///
  /// - Parameter resource: The resource.
  /// - Returns: A promise that is fulfilled with both, or rejected with a ``LoadError`` or
  ///   `CancellationError`. Cancelling it cancels the load.
  public func responsePromise<R>(for resource: Resource<R>) -> Promise<LoadedResponse<R>> {
    promise(for: resource.withResponse)
  }

  /// A promise for the value of an endpoint with the response that it is read from. The load starts
  /// at once.
  ///
  /// - Parameter endpoint: A case of a router, a request struct, or anything else with a resource.
  /// - Returns: A promise that is fulfilled with both, or rejected with a ``LoadError`` or
  ///   `CancellationError`. Cancelling it cancels the load.
  public func responsePromise<E: Endpoint>(for endpoint: E) -> Promise<LoadedResponse<E.R>> {
    promise(for: endpoint.resource.withResponse)
  }

  /// Loads a resource, and calls back with its value and the response that it was read from.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - executor: The executor of `callback`; `nil` for the loader's ``callbackExecutor``.
  ///   - callback: Called exactly once: with both, with a ``LoadError``, or with
  ///     `CancellationError`.
  /// - Returns: The task of the load. Cancelling it cancels the load: the callback gets
  ///   `CancellationError`, unless it has been called or is being called.
  @discardableResult
  public func response<R>(
    for resource: Resource<R>, on executor: (any PromiseExecutor)? = nil,
    callback: @escaping @Sendable (Result<LoadedResponse<R>, any Error>) -> Void
  ) -> Task<Void, Never> {
    load(resource.withResponse, on: executor, callback: callback)
  }

  /// Loads a resource, and calls back on the main actor with its value and the response that it was
  /// read from.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - executor: `.main`.
  ///   - callback: Called exactly once on the main actor: with both, with a ``LoadError``, or with
  ///     `CancellationError`.
  /// - Returns: The task of the load. Cancelling it cancels the load: the callback gets
  ///   `CancellationError`, unless it has been called or is being called.
  @discardableResult
  public func response<R>(
    for resource: Resource<R>, on executor: MainActorExecutor,
    callback: @escaping @MainActor @Sendable (Result<LoadedResponse<R>, any Error>) -> Void
  ) -> Task<Void, Never> {
    load(resource.withResponse, on: executor, callback: callback)
  }

  /// Loads what an endpoint stands for, and calls back with its value and the response that it was
  /// read from.
  ///
  /// - Parameters:
  ///   - endpoint: A case of a router, a request struct, or anything else with a resource.
  ///   - executor: The executor of `callback`; `nil` for the loader's ``callbackExecutor``.
  ///   - callback: Called exactly once: with both, with a ``LoadError``, or with
  ///     `CancellationError`.
  /// - Returns: The task of the load. Cancelling it cancels the load: the callback gets
  ///   `CancellationError`, unless it has been called or is being called.
  @discardableResult
  public func response<E: Endpoint>(
    for endpoint: E, on executor: (any PromiseExecutor)? = nil,
    callback: @escaping @Sendable (Result<LoadedResponse<E.R>, any Error>) -> Void
  ) -> Task<Void, Never> {
    load(endpoint.resource.withResponse, on: executor, callback: callback)
  }

  /// Loads what an endpoint stands for, and calls back on the main actor with its value and the
  /// response that it was read from.
  ///
  /// - Parameters:
  ///   - endpoint: A case of a router, a request struct, or anything else with a resource.
  ///   - executor: `.main`.
  ///   - callback: Called exactly once on the main actor: with both, with a ``LoadError``, or with
  ///     `CancellationError`.
  /// - Returns: The task of the load. Cancelling it cancels the load: the callback gets
  ///   `CancellationError`, unless it has been called or is being called.
  @discardableResult
  public func response<E: Endpoint>(
    for endpoint: E, on executor: MainActorExecutor,
    callback: @escaping @MainActor @Sendable (Result<LoadedResponse<E.R>, any Error>) -> Void
  ) -> Task<Void, Never> {
    load(endpoint.resource.withResponse, on: executor, callback: callback)
  }
}
