/// The selected rows, now and again whenever they may have changed.
///
/// The first element is read at once. Each further one is read after a commit that has changed the table; a slow
/// consumer gets the latest rows and not each state between. An element can equal the one before, if the commit has
/// changed other rows. The sequence ends when the store is closed, and throws the error of a read that fails. It can be
/// iterated several times, each time from the beginning.
public struct Updates<M: StoredModel>: AsyncSequence, Sendable {
  /// The rows.
  public typealias Element = [M]

  private let changes: @Sendable () -> AsyncStream<Void>
  private let read: @Sendable () async throws -> [M]

  /// - Parameters:
  ///   - changes: Begins to observe changes, and buffers one. It is called once for each iteration, before the first
  ///     read; the stream ends with the store.
  ///   - read: Reads the rows.
  init(
    changes: @escaping @Sendable () -> AsyncStream<Void>,
    read: @escaping @Sendable () async throws -> [M]
  ) {
    self.changes = changes
    self.read = read
  }

  /// Begins an iteration.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(changes: changes, read: read) }
}

extension Updates {
  /// The state of one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let changes: @Sendable () -> AsyncStream<Void>
    private let read: @Sendable () async throws -> [M]
    private var stream: AsyncStream<Void>.AsyncIterator?
    private var hasEnded = false

    fileprivate init(
      changes: @escaping @Sendable () -> AsyncStream<Void>,
      read: @escaping @Sendable () async throws -> [M]
    ) {
      self.changes = changes
      self.read = read
    }

    /// Returns the rows: at once the first time, then after the next change.
    ///
    /// - Returns: The rows, or `nil` after the store was closed.
    /// - Throws: A `LoadError` of kind `store` or `closed` if reading fails, and `CancellationError` if the task is
    ///   cancelled. The iteration has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> [M]? {
      guard !hasEnded else { return nil }
      hasEnded = true
      guard try await changed(actor) else { return nil }
      let rows = try await read()
      hasEnded = false
      return rows
    }

    /// - Throws: `CancellationError` if the task is cancelled.
    private mutating func changed(_ actor: isolated (any Actor)?) async throws -> Bool {
      guard stream != nil else {
        stream = changes().makeAsyncIterator()
        return true
      }
      if await stream?.next(isolation: actor) != nil { return true }
      try Task.checkCancellation()
      return false
    }
  }
}

@available(*, unavailable)
extension Updates.AsyncIterator: Sendable {}
