internal import ResourceLoading

extension Outbox {
  /// Returns a sequence of the entries as they are now, and again whenever they have changed, also by other processes.
  ///
  /// An optimistic change is visible for as long as its entry is in this list: take the model as the server has it, and
  /// apply what was attached to the entries of its key, in order.
  ///
  /// ```swift
  /// for try await entries in outbox.entries(of: .note(note.id)) {
  ///   show(try entries.last?.payload(as: Note.self) ?? note)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - key: Only the entries of this key; `nil` for all keys.
  ///   - states: Only the entries in these states; `nil` for all.
  ///   - limit: The most entries, the first ones added first; `nil` for any number.
  public func entries(
    of key: OutboxKey? = nil, in states: Set<OutboxEntry.State>? = nil, limit: Int? = nil
  ) -> OutboxEntries {
    let store = sender.store
    let selection = OutboxSelection(key: key, states: states, limit: limit)
    return OutboxEntries(
      reading: RepeatedReading(
        changes: { store.notifier.changes(of: ModelConnection.outboxTable) },
        read: { try await store.readOutbox { try $0.outboxEntries(selection) } }))
  }

  /// Returns the entries as they are now.
  ///
  /// - Parameters:
  ///   - key: Only the entries of this key; `nil` for all keys.
  ///   - states: Only the entries in these states; `nil` for all.
  ///   - limit: The most entries, the first ones added first; `nil` for any number.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func currentEntries(
    of key: OutboxKey? = nil, in states: Set<OutboxEntry.State>? = nil, limit: Int? = nil
  ) async throws -> [OutboxEntry] {
    let selection = OutboxSelection(key: key, states: states, limit: limit)
    return try await sender.store.readOutbox { try $0.outboxEntries(selection) }
  }

  /// Returns the number of entries.
  ///
  /// - Parameter states: Only the entries in these states; `nil` for all.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func count(in states: Set<OutboxEntry.State>? = nil) async throws -> Int {
    let list = OutboxSelection(states: states).stateList
    return try await sender.store.readOutbox { connection in
      Int(
        try connection.integer(
          "SELECT count(*) FROM \"Outbox entries 1\" e WHERE e.state IN (\(list))"))
    }
  }
}

/// A selection of entries.
struct OutboxSelection: Sendable {
  var key: OutboxKey?
  var states: Set<OutboxEntry.State>?
  var limit: Int?

  /// The numbers of the states, as a list in SQL.
  var stateList: String {
    (states ?? Set(OutboxEntry.State.allCases)).map { "\($0.rawValue)" }.sorted()
      .joined(separator: ", ")
  }
}

extension ModelConnection {
  /// Returns the entries of a selection, in the order of adding.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  fileprivate func outboxEntries(_ selection: OutboxSelection) throws -> [OutboxEntry] {
    var condition = "WHERE e.state IN (\(selection.stateList))"
    var values: [StoredValue] = [.integer(Int64(selection.limit ?? -1))]
    if let key = selection.key {
      condition += " AND e.key = ?2"
      values.append(.text(key.rawValue))
    }
    return try outboxEntries("\(condition) ORDER BY e.number LIMIT ?1", values)
  }
}

/// The entries of an ``Outbox``, now and again whenever they have changed.
///
/// The first element is read at once. A slow consumer gets the latest entries and not each state between. The sequence
/// ends when the store is closed, and throws the error of a read that fails. It can be iterated several times.
public struct OutboxEntries: AsyncSequence, Sendable {
  /// The entries, in the order in which they were added.
  public typealias Element = [OutboxEntry]

  let reading: RepeatedReading<[OutboxEntry]>

  /// Begins an iteration.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reading: reading) }

  /// The state of one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var reading: RepeatedReading<[OutboxEntry]>.Iterator

    fileprivate init(reading: RepeatedReading<[OutboxEntry]>) {
      self.reading = RepeatedReading.Iterator(reading)
    }

    /// Returns the entries: at once the first time, then after the next change.
    ///
    /// - Returns: The entries, or `nil` after the store was closed.
    /// - Throws: A `LoadError` of kind `store` or `closed` if reading fails, and `CancellationError` if the task is
    ///   cancelled. The iteration has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> [OutboxEntry]? { try await reading.next(actor) }
  }
}

@available(*, unavailable)
extension OutboxEntries.AsyncIterator: Sendable {}
