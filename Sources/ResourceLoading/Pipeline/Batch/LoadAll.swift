public import Foundation

/// The results of many loads as they finish; see ``Loader/loadAll(_:concurrently:)``.
public struct LoadAll<R: Sendable>: AsyncSequence, Sendable {
  /// The 0-based position of what was loaded, and the result: a value, a ``LoadError``, or
  /// `CancellationError`.
  public typealias Element = (index: Int, result: Result<R, any Error>)

  private let resources: [Resource<R>]
  private let width: Int
  private let load: @Sendable (Resource<R>) async throws -> R
  private var report: (@Sendable (BatchProgress) -> Void)?

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
    Iterator(batch: Batch(resources, width: width, load: load), count: count, report: report)
  }

  /// Gives the results; loads what is left only while it is alive.
  public struct Iterator: AsyncIteratorProtocol {
    private let owner: Owner
    private var progress: BatchProgress
    private let report: (@Sendable (BatchProgress) -> Void)?

    init(batch: Batch<R>, count: Int, report: (@Sendable (BatchProgress) -> Void)?) {
      owner = Owner(batch)
      progress = BatchProgress(total: count)
      self.report = report
    }

    /// The next result, as soon as there is one.
    ///
    /// - Returns: `nil` once all were given, or when the calling task is cancelled.
    public mutating func next() async -> Element? {
      guard let element = await owner.batch.next() else { return nil }
      progress.count(element.result)
      report?(progress)
      return element
    }
  }

  /// Cancels what is under way when the last copy of an iterator is gone.
  private final class Owner: Sendable {
    let batch: Batch<R>

    init(_ batch: Batch<R>) { self.batch = batch }

    deinit { batch.cancel() }
  }
}

// MARK: - Progress

extension LoadAll {
  /// The same loads, with a report of how many of them are done.
  ///
  /// - Parameter report: Is called with each result, before the loop gets it, in the loop's task.
  public func onProgress(_ report: @escaping @Sendable (BatchProgress) -> Void) -> LoadAll {
    var reporting = self
    reporting.report = report
    return reporting
  }

  /// The same loads, which move a `Progress` as they finish, for user interfaces.
  ///
  /// - Parameter progress: Counts loads, those that fail included.
  public func reporting(to progress: Progress) -> LoadAll {
    onProgress { step in
      progress.totalUnitCount = Int64(step.total)
      progress.completedUnitCount = Int64(step.completed)
    }
  }
}

extension Loader {
  /// Loads many endpoints, a bounded number of them at once, and gives each result as soon as it is there.
  ///
  /// ```swift
  /// for await (index, result) in loader.loadAll(feeds, concurrently: 4) {
  ///   print(index, result)
  /// }
  /// ```
  ///
  /// Nothing is loaded before the sequence is iterated; iterating it again loads again. Leaving the loop, or
  /// cancelling the task it runs in, cancels the loads under way and starts no more. One failure doesn't stop
  /// the others.
  ///
  /// ``LoadAll/onProgress(_:)`` tells how many are done, of how many.
  ///
  /// - Parameters:
  ///   - endpoints: What to load; they are started in this order.
  ///   - concurrently: How many loads are under way at most, at least 1. At most as many finished results
  ///     wait for the loop before further loads are held back.
  /// - Returns: The results in the order in which they finish, each with its endpoint's 0-based position.
  public func loadAll<S: Sequence>(
    _ endpoints: S, concurrently: Int = 8
  ) -> LoadAll<S.Element.R> where S.Element: Endpoint {
    precondition(concurrently > 0, "loadAll needs room for at least one load at a time")
    return LoadAll(endpoints.map(\.resource), width: concurrently) { try await load($0) }
  }
}

/// How many loads of a batch are done; see ``LoadAll/onProgress(_:)``.
public struct BatchProgress: Sendable, Hashable {
  /// How many have ended, those that failed included.
  public private(set) var completed = 0

  /// How many have failed, or were cancelled.
  public private(set) var failed = 0

  /// How many there are in all.
  public let total: Int

  init(total: Int) { self.total = total }

  /// The part that is done, from 0 to 1.
  public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }

  mutating func count<R>(_ result: Result<R, any Error>) {
    completed += 1
    if case .failure = result { failed += 1 }
  }
}
