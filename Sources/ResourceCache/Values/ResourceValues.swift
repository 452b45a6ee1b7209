internal import Foundation
internal import PromiseModule
public import ResourceLoading
internal import Synchronization

extension Loader {
  /// Returns the stored value of a resource at once, and then the fresh one.
  ///
  /// ```swift
  /// for try await feed in client.values(of: resource) { show(feed) }
  /// ```
  ///
  /// The stored value is returned however old it is. The fresh one is omitted if it is the same,
  /// because the stored one was fresh, or the server confirmed it with a 304 or sent the same body.
  /// If nothing is stored, or it can't be parsed, there is only the fresh value. The fresh value is
  /// loaded while the caller uses the stored one.
  ///
  /// If loading the fresh value fails, the iteration throws the error after the stored value.
  /// Leaving the loop, or cancelling its task, cancels the load. Another iteration loads again.
  ///
  /// The loader needs an ``HTTPCache``; without one there is only the fresh value. With one of the
  /// policies `networkOnly`, `cacheFirst` and `cacheOnly` there is one value, that of a single
  /// load.
  ///
  /// - Parameter resource: What to load.
  /// - Returns: A sequence of one or two values.
  public func values<R>(of resource: Resource<R>) -> ResourceValues<R> {
    ResourceValues(resource: resource, loader: self)
  }

  /// Loads responses into the cache without parsing them. Responses that are stored and fresh
  /// aren't loaded again.
  ///
  /// ```swift
  /// let failures = await client.prefetch(feeds, maximumConcurrency: 4)
  /// ```
  ///
  /// Cancelling the task cancels the running loads and starts no more. A failed load doesn't stop
  /// the others.
  ///
  /// - Parameters:
  ///   - endpoints: What to load, in the order in which the loads begin.
  ///   - maximumConcurrency: The maximum number of concurrent loads, at least 1.
  /// - Returns: The failed loads in the order in which they failed: the 0-based index of the
  ///   endpoint, and the `LoadError`.
  @discardableResult
  public func prefetch<S: Sequence>(
    _ endpoints: S, maximumConcurrency: Int = 4
  ) async -> [(index: Int, error: any Error)] where S.Element: Endpoint {
    let resources = endpoints.map { $0.resource.derived(parsing: .none) { _ in } }
    var failures: [(Int, any Error)] = []
    for await (index, result) in loadAll(resources, maximumConcurrency: maximumConcurrency) {
      if case .failure(let error) = result { failures.append((index, error)) }
    }
    return failures
  }
}

/// The stored value of a resource and then the fresh one; see `Loader.values(of:)`.
public struct ResourceValues<R: Sendable>: AsyncSequence, Sendable {
  public typealias Element = R

  fileprivate let resource: Resource<R>
  fileprivate let loader: any Loader

  /// Returns an iterator, which begins to load with the first value.
  public func makeAsyncIterator() -> Iterator { Iterator(run: ValuesIteration(self)) }

  /// An iteration. Releasing it cancels its load.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let run: ValuesIteration<R>

    /// Returns the next value.
    ///
    /// - Returns: The value, or `nil` after the last one.
    /// - Throws: The `LoadError` of loading the fresh value, or `CancellationError` if the task is
    ///   cancelled. There are then no more values. An error of reading the stored value is not
    ///   thrown.
    public mutating func next() async throws -> R? { try await run.next() }
  }
}

/// The state of an iteration over the values of a resource.
private final class ValuesIteration<R: Sendable>: Sendable {
  private let values: ResourceValues<R>
  private let stage = Mutex(Stage.begin)

  private enum Stage: Sendable {
    case begin
    /// The stored value has been returned. The promise is for the fresh one; `nil` if it is the
    /// same.
    case waiting(Promise<R?>)
    case ended
  }

  init(_ values: ResourceValues<R>) { self.values = values }

  deinit {
    if case .waiting(let fresh) = stage.withLock(\.self) { fresh.cancel() }
  }
}

extension ValuesIteration {
  func next() async throws -> R? {
    let stage = stage.withLock { stage in
      defer { stage = .ended }
      return stage
    }
    switch stage {
    case .begin: return try await first()
    case .waiting(let fresh): return try await fresh.get()
    case .ended: return nil
    }
  }

  private func first() async throws -> R? {
    guard values.resource.hasTwoValues, let stored = try await stored() else {
      return try await values.loader.load(values.resource)
    }
    let fresh = values.loader.promise(for: values.resource.unless(same: stored.response))
    stage.withLock { $0 = .waiting(fresh) }
    return stored.value
  }

  /// The stored value, or `nil` if there is none or it can't be parsed.
  private func stored() async throws -> Stored<R>? {
    do { return try await values.loader.load(values.resource.stored) } catch {
      try Task.checkCancellation()
      return nil
    }
  }
}

/// A value and the response that it was parsed from.
private struct Stored<R: Sendable>: Sendable {
  let response: Response
  let value: R
}

extension Resource {
  /// Whether the policy of its request permits two values.
  fileprivate var hasTwoValues: Bool {
    [nil, .standard, .staleWhileRevalidating].contains(request.options.cachePolicy)
  }

  /// The resource for its stored value, however old.
  fileprivate var stored: Resource<Stored<R>> {
    derived(sending: request.cachePolicy(.cacheOnly), parsing: parsing) { [parser] response in
      Stored(response: response, value: try parser(response))
    }
  }

  /// The resource for its fresh value, which is `nil` if the response equals the stored one.
  fileprivate func unless(same stored: Response) -> Resource<R?> {
    derived(sending: request.cachePolicy(.freshOnly), parsing: parsing) { [parser] response in
      let isSame = response.status == stored.status && response.body == stored.body
      return isSame ? nil : try parser(response)
    }
  }
}
