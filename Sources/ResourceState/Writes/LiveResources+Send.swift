import PromiseModule
public import ResourceLoading

extension LiveResources {
  /// Sends a write, and shows its expected changes at once.
  ///
  /// ```swift
  /// try await live.send(.createIssue(title)) {
  ///   $0.update(.issues(of: "swift")) { $0.insert(draft, at: 0) }
  /// }
  /// ```
  ///
  /// If the write fails, its changes are removed. Changes of other writes, later changes, and a
  /// value that was set in the meantime are kept. While the write is under way, the resources that
  /// it changes aren't loaded. A load under way is cancelled, because its response may be older
  /// than the write. When the write has ended, successfully or not, its resources are stale, and
  /// those that are observed are loaded.
  ///
  /// - Parameters:
  ///   - resource: The write.
  ///   - expected: Collects the expected changes. It is called before the write is sent.
  ///   - confirmed: Collects the changes that follow from the server's response. It is called if
  ///     the write succeeds. They are applied when the expected changes become permanent.
  /// - Returns: The server's response.
  /// - Throws: What the loader throws; `CancellationError` if the task is cancelled, or
  ///   ``removeAll()`` was called.
  @discardableResult
  public func send<R>(
    _ resource: Resource<R>, _ expected: @MainActor (inout LiveChanges) -> Void = { _ in },
    then confirmed: @MainActor (inout LiveChanges, R) -> Void = { _, _ in }
  ) async throws -> R {
    let write = begin(expected)
    do {
      let answer = try await load(resource, as: write.id)
      guard write.epoch == epoch else { throw CancellationError() }
      var further = LiveChanges()
      confirmed(&further, answer)
      for change in further.changes { _ = change.apply(self, nil) }
      end(write, succeeded: true, further.invalidations)
      return answer
    } catch {
      if write.epoch == epoch { end(write, succeeded: false) }
      throw error
    }
  }

  /// A write under way.
  private struct Write {
    let id: UInt64
    let epoch: Int
    /// The functions that end it for each resource that it changes.
    var ends: [(_ succeeded: Bool) -> Void] = []
    /// The resources to mark as stale afterwards.
    var invalidations: Set<InvalidationScope>
  }

  private func begin(_ expected: @MainActor (inout LiveChanges) -> Void) -> Write {
    var changes = LiveChanges()
    var write = Write(id: nextID(), epoch: epoch, invalidations: [])
    expected(&changes)
    write.invalidations = changes.invalidations
    for change in changes.changes {
      if let end = change.apply(self, write.id) {
        write.ends.append(end)
        write.invalidations.remove(change.scope)
      } else {
        write.invalidations.insert(change.scope)
      }
    }
    return write
  }

  private func end(
    _ write: Write, succeeded: Bool, _ further: Set<InvalidationScope> = []
  ) {
    for end in write.ends { end(succeeded) }
    for scope in write.invalidations.union(further) { invalidate(scope) }
  }

  /// Loads so that ``removeAll()`` can cancel the load, too.
  private func load<R>(_ resource: Resource<R>, as write: UInt64) async throws -> R {
    turns.beginLoad()
    let answer = Promise { [loader, turns] in
      defer { turns.endLoad() }
      return try await loader.loader.load(resource)
    }
    keep(write) { answer.cancel() }
    defer { keep(write, nil) }
    return try await answer.get()
  }
}
