/// The rows of a selection one after another, of which only a few are in memory at once.
///
/// ```swift
/// for try await item in store.rows(where: Item.isRead == false) {
///   export(item)
/// }
/// ```
///
/// All rows are of one state of the database, that of the first step, whatever is committed in the
/// meantime. Each iteration reads on a connection of its own, so neither writes nor other reads
/// wait for it. While it lasts, though, SQLite can't reuse its log (the file with `-wal` appended
/// to the name), which grows with every commit. The connection is closed after the last row, after
/// an error, when the task is cancelled, and when the iterator is released, as it is when a loop is
/// left.
///
/// A store in memory selects all rows at the first step.
public struct ModelRows<M: StoredModel>: AsyncSequence, Sendable {
  /// A row.
  public typealias Element = M

  let store: SQLiteStore
  let selection: Selection<M>

  /// Begins an iteration at the first row.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(store: store, selection: selection)
  }
}

extension ModelRows {
  /// The state of one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let store: SQLiteStore
    private let selection: Selection<M>
    /// Reads the next rows, and whether there may be more; `nil` before the first row and after the
    /// last one.
    private var read: SQLiteStore.RowReader<M>?
    private var rows = [M]().makeIterator()
    private var hasEnded = false

    fileprivate init(store: SQLiteStore, selection: Selection<M>) {
      self.store = store
      self.selection = selection
    }

    /// Returns the next row.
    ///
    /// - Returns: The row, or `nil` after the last one.
    /// - Throws: A `LoadError` of kind `store`, also for a row that can't be decoded, one of kind
    ///   `closed` if the store was closed in the meantime, or `CancellationError`. The iteration
    ///   has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> M? {
      do {
        try Task.checkCancellation()
        if let row = rows.next() { return row }
        guard !hasEnded else { return nil }
        return try await nextBatch()
      } catch {
        end()
        throw error
      }
    }

    private mutating func nextBatch() async throws -> M? {
      let read = try read ?? store.reader(of: selection)
      self.read = read
      let (models, hasMore) = try await read()
      if !hasMore { end() }
      rows = models.makeIterator()
      return rows.next()
    }

    private mutating func end() {
      rows = [M]().makeIterator()
      read = nil
      hasEnded = true
    }
  }
}

@available(*, unavailable)
extension ModelRows.AsyncIterator: Sendable {}

extension SQLiteStore {
  /// Returns the selected rows one after another, without keeping all of them in memory.
  public func rows<M: StoredModel>(of selection: Selection<M>) -> ModelRows<M> {
    ModelRows(store: self, selection: selection)
  }

  /// Returns the rows that match a condition one after another, without keeping all of them in
  /// memory.
  ///
  /// - Parameters:
  ///   - type: The model; it can be omitted if the condition determines it.
  ///   - condition: The condition that rows must match.
  ///   - order: The sort order: by the first, then by the next. Without an index for it, SQLite
  ///     sorts all rows before it returns the first.
  ///   - limit: The maximum number of rows; `nil` sets no limit.
  ///   - offset: The number of rows to skip.
  public func rows<M: StoredModel>(
    of type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...,
    limit: Int? = nil, offset: Int = 0
  ) -> ModelRows<M> {
    rows(of: Selection(where: condition, order: order, limit: limit, offset: offset))
  }

  fileprivate typealias RowReader<M> = @Sendable () async throws -> (rows: [M], hasMore: Bool)

  /// Returns a function that reads the next rows of a selection, and whether there may be more. Its
  /// connection, which nothing else uses, is closed with it. A store in memory has only one
  /// connection, so all rows are read at once.
  fileprivate func reader<M: StoredModel>(of selection: Selection<M>) throws -> RowReader<M> {
    switch location {
    case .memory:
      return { [readers] in (try await readers.run { try $0.select(selection) }, false) }
    case .file:
      let queue = try readers.open()
      return { try await queue.run { try $0.nextRows(of: selection) } }
    }
  }
}
