internal import ResourceLoading

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
