extension Promise {
  /// Creates a promise for each element of a sequence and keeps a limited number of them pending.
  ///
  /// ```swift
  /// let pages = Promise.map(urls, concurrency: 4) { url in session.promise(for: Resource(text: url)) }
  /// ```
  ///
  /// - Parameters:
  ///   - elements: The elements. The sequence is read before the call returns.
  ///   - concurrency: How many promises may be pending at a time, 1 or more.
  ///   - rule: What a failure does to the others.
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Returns the promise for one element. An error that it throws counts as a rejection.
  ///     It is called once for each element, in order, until something stops the map.
  /// - Returns: A promise of all values in the order of the elements; `[]` if there are none.
  ///   Cancelling it gives up its interest in the running promises and starts nothing more. With a
  ///   concurrency below 1 it is rejected with an ``InvalidConcurrency``.
  public static func map<Element: Sendable, Output: Sendable>(
    _ elements: some Sequence<Element>, concurrency: Int, onFailure rule: FailureRule = .stop,
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output] {
    guard concurrency > 0 else { return .rejected(InvalidConcurrency(concurrency: concurrency)) }
    let elements = Array(elements)
    guard !elements.isEmpty else { return .fulfilled([]) }
    let combined = Promise()
    let run = BoundedMap(elements, rule: rule, on: executor, for: combined, body)
    run.start(concurrency)
    return combined
  }

  /// Creates a promise for each element of a sequence on the main actor and keeps a limited number
  /// of them pending.
  public static func map<Element: Sendable, Output: Sendable>(
    _ elements: some Sequence<Element>, concurrency: Int, onFailure rule: FailureRule = .stop,
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output] {
    map(
      elements, concurrency: concurrency, onFailure: rule, on: MainActorQueue.shared,
      MainActorQueue.running(body))
  }
}

/// What a bounded map does when the promise of one element is rejected.
public enum FailureRule: Sendable, Hashable {
  /// Starts nothing more, gives up the interest in the running promises, and fails with that error.
  case stop
  /// Continues, and fails in the end with an ``AggregateError`` that keeps every error, in the
  /// order of the elements.
  case collect
}

/// The error of a bounded map with a concurrency below 1, which would never start.
public struct InvalidConcurrency: Error, Sendable, Hashable {
  /// The requested concurrency.
  public let concurrency: Int
}

extension InvalidConcurrency: CustomStringConvertible {
  /// What went wrong.
  public var description: String {
    "A map with a concurrency of \(concurrency) would never start; it must be 1 or more."
  }
}
