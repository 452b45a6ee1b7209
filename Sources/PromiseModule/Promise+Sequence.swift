extension Promise {
  /// The promise as an asynchronous sequence of one value.
  ///
  /// ```swift
  /// for try await size in download("log").map(\.count).values { print(size) }
  /// ```
  ///
  /// Each iteration awaits the promise as ``get()`` does: it throws the error that the promise is
  /// rejected with, and a task that is cancelled meanwhile gives up its interest. It can be
  /// iterated any number of times.
  public var values: Values { Values(promise: self) }

  /// The value of a promise as a sequence of one, created by ``Promise/values``.
  public struct Values: AsyncSequence, Sendable {
    /// The value.
    public typealias Element = Value
    /// The error that the promise is rejected with, or a `CancellationError`.
    public typealias Failure = any Error

    fileprivate let promise: Promise

    /// Creates an iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(promise: promise) }
  }
}

extension Promise.Values {
  /// The state of one iteration.
  public struct Iterator: AsyncIteratorProtocol {
    /// `nil` once the value or the error has been returned.
    fileprivate var promise: Promise?

    /// Returns the value the first time, and `nil` from then on.
    ///
    /// - Throws: The error that the promise is rejected with; `CancellationError` if the promise or
    ///   the waiting task is cancelled. The iteration has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Value? {
      defer { promise = nil }
      return try await promise?.get()
    }
  }
}

@available(*, unavailable)
extension Promise.Values.Iterator: Sendable {}
