/// The results of many loads as they finish; see ``Loader/loadAll(_:concurrently:)``.
public struct LoadAll<R: Sendable>: AsyncSequence, Sendable {
  /// The 0-based position of what was loaded, and the result: a value, a ``LoadError``, or
  /// `CancellationError`.
  public typealias Element = (index: Int, result: Result<R, any Error>)

  private let resources: [Resource<R>]
  private let width: Int
  private let load: @Sendable (Resource<R>) async throws -> R

  init(
    _ resources: [Resource<R>], width: Int,
    load: @escaping @Sendable (Resource<R>) async throws -> R
  ) {
    self.resources = resources
    self.width = width
    self.load = load
  }

  /// How many results there will be.
  public var count: Int { resources.count }

  /// Begins to load as soon as the iterator is asked for the first result.
  public func makeAsyncIterator() -> Iterator {
    Iterator(batch: Batch(resources, width: width, load: load))
  }

  /// Gives the results; loads what is left only while it is alive.
  public struct Iterator: AsyncIteratorProtocol {
    private let owner: Owner

    init(batch: Batch<R>) { owner = Owner(batch) }

    /// The next result, as soon as there is one.
    ///
    /// - Returns: `nil` once all were given, or when the calling task is cancelled.
    public mutating func next() async -> Element? {
      await owner.batch.next()
    }
  }

  /// Cancels what is under way when the last copy of an iterator is gone.
  private final class Owner: Sendable {
    let batch: Batch<R>

    init(_ batch: Batch<R>) { self.batch = batch }

    deinit { batch.cancel() }
  }
}
