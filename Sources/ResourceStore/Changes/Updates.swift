/// The selected rows, now and again whenever they may have changed.
///
/// The first element is read at once. Each further one is read after a commit that has changed the table; a slow
/// consumer gets the latest rows and not each state between. An element can equal the one before, if the commit has
/// changed other rows. The sequence ends when the store is closed, and throws the error of a read that fails. It can be
/// iterated several times, each time from the beginning.
public struct Updates<M: StoredModel>: AsyncSequence, Sendable {
  /// The rows.
  public typealias Element = [M]

  private let reading: RepeatedReading<[M]>

  init(_ reading: RepeatedReading<[M]>) { self.reading = reading }

  /// Begins an iteration.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reading: reading) }
}

extension Updates {
  /// The state of one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var reading: RepeatedReading<[M]>.Iterator

    fileprivate init(reading: RepeatedReading<[M]>) {
      self.reading = RepeatedReading.Iterator(reading)
    }

    /// Returns the rows: at once the first time, then after the next change.
    ///
    /// - Returns: The rows, or `nil` after the store was closed.
    /// - Throws: A `LoadError` of kind `store` or `closed` if reading fails, and `CancellationError` if the task is
    ///   cancelled. The iteration has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> [M]? { try await reading.next(actor) }
  }
}

@available(*, unavailable)
extension Updates.AsyncIterator: Sendable {}

/// A read that is done at once, and again after each change.
struct RepeatedReading<Value: Sendable>: Sendable {
  /// Begins to observe changes, and buffers one. It is called once for each iteration, before the first read; the stream
  /// ends with the store.
  let changes: @Sendable () -> AsyncStream<Void>
  let read: @Sendable () async throws -> Value
}

extension RepeatedReading {
  /// The state of one iteration.
  struct Iterator {
    private let reading: RepeatedReading
    private var stream: AsyncStream<Void>.AsyncIterator?
    private var hasEnded = false

    init(_ reading: RepeatedReading) { self.reading = reading }
  }
}

extension RepeatedReading.Iterator {
  /// Reads at once the first time, then after the next change.
  ///
  /// - Returns: The value, or `nil` after the end of the changes.
  /// - Throws: What reading throws, and `CancellationError` if the task is cancelled. It has ended then.
  mutating func next(_ actor: isolated (any Actor)?) async throws -> Value? {
    guard !hasEnded else { return nil }
    hasEnded = true
    guard try await hasChanged(actor) else { return nil }
    let value = try await reading.read()
    hasEnded = false
    return value
  }

  /// - Throws: `CancellationError` if the task is cancelled.
  private mutating func hasChanged(_ actor: isolated (any Actor)?) async throws -> Bool {
    guard stream != nil else {
      stream = reading.changes().makeAsyncIterator()
      return true
    }
    if await stream?.next(isolation: actor) != nil { return true }
    try Task.checkCancellation()
    return false
  }
}
