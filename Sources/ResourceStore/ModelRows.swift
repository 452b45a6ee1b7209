/// The rows that a selection has, one after the other, of which only a few are in memory at once.
///
/// ```swift
/// for try await item in store.rows(where: Item.isRead == false) {
///   export(item)
/// }
/// ```
///
/// All rows are of one state of the database, that at the first step, whatever is committed meanwhile. Each
/// iteration reads on a connection of its own: neither writers nor other readers wait for it. As long as it lasts,
/// though, SQLite can't reuse its log (the file with `-wal` behind the name), which grows with every commit. The
/// connection is closed after the last row, with an error, when the task is cancelled, and when
/// the iterator goes, as it does when a loop is left.
///
/// A store in memory, which has its rows there anyway, selects all of them at the first step.
public struct ModelRows<M: StoredModel>: AsyncSequence, Sendable {
  /// One row.
  public typealias Element = M

  let store: SQLiteStore
  let selection: Selection<M>

  /// Begins at the first row.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(store: store, selection: selection)
  }
}

extension ModelRows {
  /// Reads the rows of one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let store: SQLiteStore
    private let selection: Selection<M>
    private var walk: RowWalk<M>?
    private var rows = [M]().makeIterator()
    private var hasEnded = false

    fileprivate init(store: SQLiteStore, selection: Selection<M>) {
      self.store = store
      self.selection = selection
    }

    /// The next row.
    ///
    /// - Returns: The row, or `nil` behind the last one.
    /// - Throws: A `LoadError` of kind `store`, also for a row that isn't a model any more, one of kind `closed`
    ///   when the store was closed meanwhile, or `CancellationError`. That ends it.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> M? {
      do {
        try Task.checkCancellation()
        if let row = rows.next() { return row }
        guard !hasEnded else { return nil }
        return try await nextOfMore()
      } catch {
        end()
        throw error
      }
    }

    private mutating func nextOfMore() async throws -> M? {
      let walk = try walk ?? store.walk(over: selection)
      self.walk = walk
      let (models, areMore) = try await walk.next()
      rows = models.makeIterator()
      if !areMore {
        self.walk = nil
        hasEnded = true
      }
      return rows.next()
    }

    private mutating func end() {
      rows = [M]().makeIterator()
      walk = nil
      hasEnded = true
    }
  }
}

@available(*, unavailable)
extension ModelRows.AsyncIterator: Sendable {}

extension SQLiteStore {
  /// The rows that are selected, one after the other, without holding all of them.
  public func rows<M: StoredModel>(of selection: Selection<M>) -> ModelRows<M> {
    ModelRows(store: self, selection: selection)
  }

  /// The rows that fulfil a condition, one after the other, without holding all of them.
  ///
  /// - Parameters:
  ///   - type: The model; it can be left out where the condition says it.
  ///   - condition: What the rows must fulfil.
  ///   - order: By what they are sorted: by the first, then by the next. Without an index for it, SQLite sorts all
  ///     rows before the first one comes.
  ///   - limit: How many there are at most; `nil` sets no limit.
  ///   - offset: How many are left out at the beginning.
  public func rows<M: StoredModel>(
    of type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...,
    limit: Int? = nil, offset: Int = 0
  ) -> ModelRows<M> {
    rows(of: Selection(where: condition, order: order, limit: limit, offset: offset))
  }

  fileprivate func walk<M: StoredModel>(over selection: Selection<M>) throws -> RowWalk<M> {
    switch place {
    case .memory: RowWalk(selection, pool: readers)
    case .file: RowWalk(selection, lane: try walks.makeLane())
    }
  }
}
