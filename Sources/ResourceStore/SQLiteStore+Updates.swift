internal import ResourceLoading
internal import ResourcePrimitives

extension SQLiteStore {
  /// Returns the selected rows now, and again after every commit of this store that has changed
  /// their table.
  ///
  /// SQLite sends no notifications to other processes. Their commits are found by regular checks,
  /// see ``SQLiteSettings/otherProcessesInterval``, and by ``checkForOtherProcesses()``.
  public func updates<M: StoredModel>(of selection: Selection<M>) -> Updates<[M]> {
    Updates(
      changes: { self.changes(of: M.table.foldedName) },
      read: { try await self.select(selection) })
  }

  /// Returns the rows that match a condition now, and again after every commit that has changed
  /// their table.
  ///
  /// - Parameters:
  ///   - type: The model; it can be omitted if the condition determines it.
  ///   - condition: The condition that rows must match.
  ///   - order: The sort order: by the first, then by the next.
  ///   - limit: The maximum number of rows; `nil` sets no limit.
  ///   - offset: The number of rows to skip.
  public func updates<M: StoredModel>(
    of type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...,
    limit: Int? = nil, offset: Int = 0
  ) -> Updates<[M]> {
    updates(of: Selection(where: condition, order: order, limit: limit, offset: offset))
  }

  private func changes(of table: String) -> AsyncStream<Void> {
    guard let interval = settings.otherProcessesInterval else {
      return changes.changes(of: table)
    }
    let clock = LoadClock(ContinuousClock())
    let checks = Task { [weak self] in
      while !Task.isCancelled {
        // Without a pause, this loop would leave no time for anything else.
        try await clock.sleep(max(interval, .milliseconds(1)))
        // A check that fails, because the disk was busy for example, isn't the last.
        try? await self?.checkForOtherProcesses()
      }
    }
    return changes.changes(of: table) { checks.cancel() }
  }

  /// Checks whether another process, or another store of this process, has changed the file since
  /// the last check. If so, every ``Updates`` of this store reads its rows again.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func checkForOtherProcesses() async throws {
    // The number changes with every commit of another connection, and only this one writes here.
    let hasChanged = try await writer.run { connection in
      let version = try connection.integer("PRAGMA data_version")
      defer { connection.dataVersion = version }
      return version != connection.dataVersion
    }
    if hasChanged { changes.send(nil) }
  }
}
