public import Foundation
import ResourcePrimitives

/// The results of many loads as they finish; see ``Loader/loadAll(_:maximumConcurrency:)``.
public struct LoadBatch<R: Sendable>: AsyncSequence, Sendable {
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

  /// The number of results.
  public var count: Int { resources.count }

  /// Creates an iterator, which begins to load when its first result is requested.
  public func makeAsyncIterator() -> Iterator {
    let (results, output) = AsyncStream.makeStream(of: Element.self)
    let (requests, counter) = AsyncStream.makeStream(of: Void.self)
    let task = Task(executorPreference: SimulatedExecution.executor) {
      await run(requests, into: output)
    }
    // Also when the last copy of the iterator is released.
    output.onTermination = { _ in task.cancel() }
    return Iterator(
      results: results.makeAsyncIterator(), requests: counter,
      progress: BatchProgress(total: count), report: report)
  }

  /// Returns the results. The remaining loads are cancelled when the last copy of it is released.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var results: AsyncStream<Element>.Iterator
    fileprivate let requests: AsyncStream<Void>.Continuation
    fileprivate var progress: BatchProgress
    fileprivate let report: (@Sendable (BatchProgress) -> Void)?

    /// Returns the next result as soon as there is one.
    ///
    /// - Returns: `nil` after the last result, or when the calling task is cancelled.
    public mutating func next() async -> Element? {
      requests.yield()
      guard let element = await results.next(isolation: #isolation), !Task.isCancelled else {
        return nil
      }
      progress.count(element.result)
      report?(progress)
      return element
    }
  }
}

extension LoadBatch {
  /// Runs the loads in order, at most `width` at a time. `requests` has one element for each call
  /// of the iterator's `next()`.
  private func run(
    _ requests: AsyncStream<Void>, into output: AsyncStream<Element>.Continuation
  ) async {
    await withTaskGroup(of: Void.self) { group in
      var requests = requests.makeAsyncIterator()
      for (index, resource) in resources.enumerated() {
        // At most `width` loads run, and at most `width` results wait for the loop.
        if index == 0 || index - width >= width { _ = await requests.next(isolation: #isolation) }
        if index >= width { _ = await group.next() }
        guard !Task.isCancelled else { break }
        group.addTask { output.yield((index, await result(of: resource))) }
      }
    }
    output.finish()
  }

  private func result(of resource: Resource<R>) async -> Result<R, any Error> {
    do { return .success(try await load(resource)) } catch { return .failure(error) }
  }
}

extension LoadBatch {
  /// Reports how many of the loads are done.
  ///
  /// - Parameter report: Called for each result in the task of the loop, before the loop gets the
  ///   result.
  public func onProgress(_ report: @escaping @Sendable (BatchProgress) -> Void) -> LoadBatch {
    var reporting = self
    reporting.report = report
    return reporting
  }

  /// Updates a `Progress` as the loads finish, for user interfaces.
  ///
  /// - Parameter progress: Counts finished loads, including failed ones.
  public func reporting(to progress: Progress) -> LoadBatch {
    onProgress { step in
      progress.totalUnitCount = Int64(step.total)
      progress.completedUnitCount = Int64(step.completed)
    }
  }
}

extension Loader {
  /// Loads many endpoints, a limited number of them at a time, and returns each result as soon as
  /// it is there.
  ///
  /// ```swift
  /// for await (index, result) in loader.loadAll(feeds, maximumConcurrency: 4) {
  ///   print(index, result)
  /// }
  /// ```
  ///
  /// Nothing is loaded before the sequence is iterated; iterating it again loads again. Leaving the
  /// loop, or cancelling its task, cancels running loads and starts no more. A failure doesn't stop
  /// the other loads.
  ///
  /// ``LoadBatch/onProgress(_:)`` reports how many are done, and how many there are.
  ///
  /// - Parameters:
  ///   - endpoints: The endpoints, which are loaded in this order.
  ///   - maximumConcurrency: The maximum number of running loads, at least 1. No more loads are
  ///     started while as many results wait for the loop.
  /// - Returns: The results in the order in which they finish, each with its endpoint's 0-based
  ///   position.
  public func loadAll<S: Sequence>(
    _ endpoints: S, maximumConcurrency: Int = 8
  ) -> LoadBatch<S.Element.R> where S.Element: Endpoint {
    precondition(maximumConcurrency > 0, "loadAll needs room for at least one load at a time")
    return LoadBatch(endpoints.map(\.resource), width: maximumConcurrency) { try await load($0) }
  }
}

/// The progress of a batch; see ``LoadBatch/onProgress(_:)``.
public struct BatchProgress: Sendable, Hashable {
  /// The number of loads that have ended, including those that failed.
  public private(set) var completed = 0

  /// The number of loads that have failed or were cancelled.
  public private(set) var failed = 0

  /// The number of all loads.
  public let total: Int

  init(total: Int) { self.total = total }

  /// The fraction that is done, from 0 to 1.
  public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }

  mutating func count<R>(_ result: Result<R, any Error>) {
    completed += 1
    if case .failure = result { failed += 1 }
  }
}
