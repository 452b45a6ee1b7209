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
  ) -> Updates<[OutboxEntry]> {
    let store = sender.store
    return Updates(
      changes: { store.notifier.changes(of: ModelConnection.outboxTable) },
      read: { try await store.snapshot { try $0.outboxEntries(of: key, in: states, limit) } })
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
    try await sender.store.snapshot { try $0.outboxEntries(of: key, in: states, limit) }
  }

  /// Returns the number of entries.
  ///
  /// - Parameter states: Only the entries in these states; `nil` for all.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func count(in states: Set<OutboxEntry.State>? = nil) async throws -> Int {
    try await sender.store.snapshot { connection in
      Int(
        try connection.integer(
          #"SELECT count(*) FROM "Outbox entries 1" WHERE state IN (\#(states.list))"#))
    }
  }
}

extension ModelConnection {
  /// Returns entries in the order of adding.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  fileprivate func outboxEntries(
    of key: OutboxKey?, in states: Set<OutboxEntry.State>?, _ limit: Int?
  ) throws -> [OutboxEntry] {
    var condition = "WHERE e.state IN (\(states.list))"
    var values: [StoredValue] = [.integer(Int64(limit ?? -1))]
    if let key {
      condition += " AND e.key = ?2"
      values.append(.text(key.rawValue))
    }
    return try outboxEntries("\(condition) ORDER BY e.number LIMIT ?1", values)
  }
}

extension Set<OutboxEntry.State>? {
  /// The numbers of the states, as a list in SQL; those of all states without a set.
  fileprivate var list: String {
    (self ?? Set(OutboxEntry.State.allCases)).map { "\($0.rawValue)" }.sorted()
      .joined(separator: ", ")
  }
}
