public import Foundation
public import PromiseModule

extension Loader {
  /// Loads a resource, and calls back.
  ///
  /// ```swift
  /// let task = URLSession.shared.load(resource, on: .main) { result in
  ///   print(result)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - resource: What to load and how to read it.
  ///   - executor: Where `callback` runs: `.main` or any dispatch queue; `nil` for the loader's
  ///     ``callbackExecutor``, which is never the main queue unless somebody made it so.
  ///   - callback: Is called exactly once, after this function has returned: with the value, with a
  ///     ``LoadError``, or with `CancellationError`.
  /// - Returns: The way to cancel the load. Letting go of it changes nothing.
  @discardableResult
  public func load<R>(
    _ resource: Resource<R>, on executor: (any PromiseExecutor)? = nil,
    callback: @escaping @Sendable (Result<R, any Error>) -> Void
  ) -> LoadTask {
    let executor = executor ?? callbackExecutor
    // Without a `Result` that is kept: what is generic is looked up each time it is used.
    return LoadTask {
      do {
        let value = try await load(resource)
        executor.schedule { callback(.success(value)) }
      } catch {
        executor.schedule { callback(.failure(error)) }
      }
    }
  }

  /// Loads a resource, and calls back on the main actor.
  ///
  /// - Parameters:
  ///   - resource: What to load and how to read it.
  ///   - executor: `.mainActor`.
  ///   - callback: Is called exactly once on the main actor: with the value, with a ``LoadError``, or with
  ///     `CancellationError`.
  /// - Returns: The way to cancel the load. Letting go of it changes nothing.
  @discardableResult
  public func load<R>(
    _ resource: Resource<R>, on executor: MainActorExecutor,
    callback: @escaping @MainActor @Sendable (Result<R, any Error>) -> Void
  ) -> LoadTask {
    LoadTask {
      do {
        let value = try await load(resource)
        await callback(.success(value))
      } catch {
        await callback(.failure(error))
      }
    }
  }

  /// Loads a URL with a parser of its body, and calls back.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - parser: Reads the value out of the decoded body.
  ///   - executor: Where `callback` runs; `nil` for the loader's ``callbackExecutor``.
  ///   - callback: Is called exactly once: with the value, with a ``LoadError``, or with
  ///     `CancellationError`.
  /// - Returns: The way to cancel the load. Letting go of it changes nothing.
  @discardableResult
  public func load<R: Sendable>(
    _ url: URL, parser: @escaping @Sendable (Data) throws -> R,
    on executor: (any PromiseExecutor)? = nil,
    callback: @escaping @Sendable (Result<R, any Error>) -> Void
  ) -> LoadTask {
    load(Resource(url: url, parser: parser), on: executor, callback: callback)
  }
}
