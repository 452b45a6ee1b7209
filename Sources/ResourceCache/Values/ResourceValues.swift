internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import Synchronization

/// The stored value of a resource, and then the fresh one; see `Loader.values(of:)`.
public struct ResourceValues<R: Sendable>: AsyncSequence, Sendable {
  public typealias Element = R

  private let resource: Resource<R>
  private let loader: any Loader

  init(_ resource: Resource<R>, from loader: any Loader) {
    self.resource = resource
    self.loader = loader
  }

  /// Begins to load as soon as the iterator is asked for the first value.
  public func makeAsyncIterator() -> Iterator { Iterator(ValuesRun(resource, from: loader)) }

  /// Gives the values; loads only while it is alive.
  public struct Iterator: AsyncIteratorProtocol {
    private let run: ValuesRun<R>

    init(_ run: ValuesRun<R>) { self.run = run }

    /// The next value, as soon as there is one.
    ///
    /// - Returns: `nil` after the last one.
    /// - Throws: The `LoadError` of the load that was to give the fresh value, or `CancellationError` as soon as the
    ///   calling task is cancelled. After that there are no more values.
    public mutating func next() async throws -> R? { try await run.next() }
  }
}

/// One iteration over the values of a resource.
final class ValuesRun<R: Sendable>: Sendable {
  private let resource: Resource<R>
  private let loader: any Loader
  private let stage = Mutex(Stage.begin)

  private enum Stage: Sendable {
    case begin
    /// The stored value was given; this is the fresh one, `nil` if it is the same.
    case waiting(Promise<R?>)
    case ended
  }

  init(_ resource: Resource<R>, from loader: any Loader) {
    self.resource = resource
    self.loader = loader
  }

  deinit {
    if case .waiting(let fresh) = stage.withLock(\.self) { fresh.cancel() }
  }
}

extension ValuesRun {
  /// The next value; `nil` after the last one.
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
    guard resource.hasTwoValues, let stored = try await stored() else {
      return try await loader.load(resource)
    }
    let fresh = loader.promise(for: resource.unless(same: stored.response))
    stage.withLock { $0 = .waiting(fresh) }
    return stored.value
  }

  /// What is stored, if it can be read.
  private func stored() async throws -> Stored<R>? {
    do { return try await loader.load(resource.stored) } catch {
      try Task.checkCancellation()
      return nil
    }
  }
}

/// A value and the response that it was read from.
struct Stored<R: Sendable>: Sendable {
  let response: Response
  let value: R
}

extension Resource {
  /// Whether its request leaves it open which value is wanted.
  fileprivate var hasTwoValues: Bool {
    [nil, .standard, .staleWhileRevalidating].contains(request.options.cachePolicy)
  }

  /// What is stored of it, however old.
  fileprivate var stored: Resource<Stored<R>> {
    Resource<Stored<R>>(request.cachePolicy(.cacheOnly)) { [parser] response in
      Stored(response: response, value: try parser(response))
    }
  }

  /// The fresh value; `nil` if the response is the same as that one.
  fileprivate func unless(same stored: Response) -> Resource<R?> {
    Resource<R?>(request.cachePolicy(.freshOnly)) { [parser] response in
      let isSame = response.status == stored.status && response.body == stored.body
      return isSame ? nil : try parser(response)
    }
  }
}
