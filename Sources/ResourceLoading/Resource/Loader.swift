public import PromiseModule
import ResourcePrimitives

/// Loads resources. A loader has to have the `await` form; callbacks, promises, batches and streams
/// are derived from it for all loaders.
///
/// `URLSession` and ``Client`` are loaders, and so is a stub in a test.
public protocol Loader: Sendable {
  /// The executor of callbacks that name none.
  var callbackExecutor: any PromiseExecutor { get }

  /// Loads a resource: sends its request, follows redirects, checks the status, parses the body.
  ///
  /// Completes exactly once. If the calling `Task` is cancelled, the load ends at once, and the
  /// request, if it was sent, is cancelled; a load that is cancelled before it starts sends
  /// nothing.
  ///
  /// - Parameter resource: The resource.
  /// - Returns: The value that the resource's parser made of the response.
  /// - Throws: A ``LoadError`` that says what went wrong, or `CancellationError` if the load was
  ///   cancelled.
  func load<R>(_ resource: Resource<R>) async throws -> R

  /// Loads a response whose body is read as it arrives.
  ///
  /// The default loads the whole body first.
  ///
  /// - Parameter request: The request.
  /// - Returns: The stream, as soon as the head of an accepted response is there.
  /// - Throws: A ``LoadError`` if there is no accepted response, or `CancellationError` if the load
  ///   was cancelled.
  func stream(_ request: Request) async throws -> ResponseStream
}

extension Loader {
  /// The background: callbacks that name no executor don't run on the main queue.
  public var callbackExecutor: any PromiseExecutor { .default }
}

extension Loader {
  /// Loads a resource, and calls back.
  ///
  /// ```swift
  /// let task = URLSession.shared.load(resource) { result in
  ///   print(result)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - executor: The executor of `callback`, such as a dispatch queue; `nil` for the loader's
  ///     ``callbackExecutor``, which is the main queue only if a program has set that.
  ///   - callback: Called exactly once, after this function has returned: with the value, with a
  ///     ``LoadError``, or with `CancellationError`.
  /// - Returns: The task of the load. Cancelling it cancels the load: the callback gets
  ///   `CancellationError`, unless it has been called or is being called.
  @discardableResult
  public func load<R>(
    _ resource: Resource<R>, on executor: (any PromiseExecutor)? = nil,
    callback: @escaping @Sendable (Result<R, any Error>) -> Void
  ) -> Task<Void, Never> {
    let executor = executor ?? callbackExecutor
    // Without a `Result` that is kept: what is generic is looked up each time it is used.
    // The task has the caller's task-local values, such as its trace, as a promise has them.
    return Task(executorPreference: SimulatedExecution.executor) {
      do {
        let value = try await load(resource)
        executor.schedule { callback(.success(value)) }
      } catch {
        executor.schedule { callback(.failure(error)) }
      }
    }
  }

  /// Loads a resource, and calls back on the main actor, where the callback may use the state of
  /// views and models.
  ///
  /// ```swift
  /// loader.load(.member(login), on: .main) { result in
  ///   switch result {
  ///   case .success(let user): self.title = user.login
  ///   case .failure(let error): self.title = error.localizedDescription
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - executor: `.main`.
  ///   - callback: Called exactly once on the main actor: with the value, with a ``LoadError``, or
  ///     with `CancellationError`.
  /// - Returns: The task of the load. Cancelling it cancels the load: the callback gets
  ///   `CancellationError`, unless it has been called or is being called.
  @discardableResult
  public func load<R>(
    _ resource: Resource<R>, on executor: MainActorExecutor,
    callback: @escaping @MainActor @Sendable (Result<R, any Error>) -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: SimulatedExecution.executor) {
      do {
        let value = try await load(resource)
        await callback(.success(value))
      } catch {
        await callback(.failure(error))
      }
    }
  }
}

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
  /// - Parameter resource: The resource.
  /// - Returns: A promise that is fulfilled with the value, or rejected with a ``LoadError`` or
  ///   `CancellationError`. Cancelling it cancels the load.
  public func promise<R>(for resource: Resource<R>) -> Promise<R> {
    Promise { try await load(resource) }
  }
}
