/// Values that are read from a store now, and again whenever they may have changed.
///
/// The first element is read at once. Each further one is read after a commit that has changed the
/// table; a slow consumer gets the latest values and not each state between. An element can equal
/// the one before, if the commit has changed other rows. The sequence ends when the store is
/// closed, and throws the error of a read that fails. It can be iterated several times, each time
/// from the beginning.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  /// Begins to observe changes, and buffers one. It is called once for each iteration, before the
  /// first read; the stream ends with the store.
  let changes: @Sendable () -> AsyncStream<Void>
  let read: @Sendable () async throws -> Element

  package init(
    changes: @escaping @Sendable () -> AsyncStream<Void>,
    read: @escaping @Sendable () async throws -> Element
  ) {
    self.changes = changes
    self.read = read
  }

  /// Begins an iteration.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(updates: self) }
}

extension Updates {
  /// The state of one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let updates: Updates
    private var changes: AsyncStream<Void>.AsyncIterator?
    private var hasEnded = false

    fileprivate init(updates: Updates) { self.updates = updates }

    /// Returns the values: at once the first time, then after the next change.
    ///
    /// - Returns: The values, or `nil` after the store was closed.
    /// - Throws: A `LoadError` of kind `store` or `closed` if reading fails, and
    ///   `CancellationError` if the task is cancelled. The iteration has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Element? {
      guard !hasEnded else { return nil }
      hasEnded = true
      guard try await hasChanged(actor) else { return nil }
      let value = try await updates.read()
      hasEnded = false
      return value
    }

    private mutating func hasChanged(_ actor: isolated (any Actor)?) async throws -> Bool {
      guard changes != nil else {
        changes = updates.changes().makeAsyncIterator()
        return true
      }
      if await changes?.next(isolation: actor) != nil { return true }
      try Task.checkCancellation()
      return false
    }
  }
}

@available(*, unavailable)
extension Updates.AsyncIterator: Sendable {}
