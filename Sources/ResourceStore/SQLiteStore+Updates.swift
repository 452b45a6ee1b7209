extension SQLiteStore {
  /// The rows that are selected now, and again after every commit of this store that changed their table.
  ///
  /// SQLite doesn't tell what other processes commit. They are noticed as often as
  /// ``SQLiteSettings/otherProcessesInterval`` says, and by ``lookForOtherProcesses()``.
  public func updates<M: StoredModel>(of selection: Selection<M>) -> Updates<M> {
    Updates(
      changes: { self.changes(of: M.table.foldedName) },
      read: { try await self.select(selection) })
  }

  private func changes(of table: String) -> AsyncStream<Void> {
    guard let interval = settings.otherProcessesInterval else {
      return announcer.changes(of: table)
    }
    let looking = Task { [weak self] in
      while !Task.isCancelled {
        try await Task.sleep(for: interval)
        try await self?.lookForOtherProcesses()
      }
    }
    return announcer.changes(of: table) { looking.cancel() }
  }

  /// Looks whether somebody else has changed the file since the last look: another process, or another store of
  /// this one. Then everything that is followed is read again.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  public func lookForOtherProcesses() async throws {
    // The number changes for a connection when any other one commits, and only this one writes here.
    let isChanged = try await writer.run { connection in
      let version = try connection.integer("PRAGMA data_version")
      defer { connection.dataVersion = version }
      return version != connection.dataVersion
    }
    if isChanged { announcer.announce(nil) }
  }
}
