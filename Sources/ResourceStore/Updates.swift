/// The rows that are selected, now and again whenever they may have changed.
///
/// The first list comes at once. Each further one is read after a commit that changed the table; who is slow
/// to ask gets the newest list and not every one between. A list may be the same as the one before, when
/// the commit changed other rows. The sequence ends when the store is closed, and throws the error of
/// a read that fails; it can be iterated several times, each time from the beginning.
public struct Updates<M: StoredModel>: AsyncSequence, Sendable {
  /// The rows.
  public typealias Element = [M]

  private let changes: @Sendable () -> AsyncStream<Void>
  private let read: @Sendable () async throws -> [M]

  /// Makes updates of a store's own means.
  ///
  /// - Parameters:
  ///   - changes: Begins to tell changes, and keeps one that nobody has asked for yet. It ends with the
  ///     store. It is called once for each iteration, before the first read.
  ///   - read: Reads the rows.
  init(
    changes: @escaping @Sendable () -> AsyncStream<Void>,
    read: @escaping @Sendable () async throws -> [M]
  ) {
    self.changes = changes
    self.read = read
  }

  /// Begins to follow the rows.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(changes: changes, read: read) }
}

extension Updates {
  /// Follows the rows for one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let changes: @Sendable () -> AsyncStream<Void>
    private let read: @Sendable () async throws -> [M]
    private var following: AsyncStream<Void>.AsyncIterator?
    private var hasEnded = false

    fileprivate init(
      changes: @escaping @Sendable () -> AsyncStream<Void>,
      read: @escaping @Sendable () async throws -> [M]
    ) {
      self.changes = changes
      self.read = read
    }

    /// The rows: at once the first time, then after the next change.
    ///
    /// - Returns: The rows, or `nil` when the store was closed.
    /// - Throws: What reading throws, and `CancellationError` when the task was cancelled; that ends it.
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

    private mutating func changed(_ actor: isolated (any Actor)?) async throws -> Bool {
      guard following != nil else {
        following = changes().makeAsyncIterator()
        return true
      }
      if await following?.next(isolation: actor) != nil { return true }
      try Task.checkCancellation()
      return false
    }
  }
}

@available(*, unavailable)
extension Updates.AsyncIterator: Sendable {}
