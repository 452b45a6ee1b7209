import PromiseModule
public import ResourceLoading

extension LiveResources {
  /// Sends a write, and shows what it is expected to change at once.
  ///
  /// ```swift
  /// try await live.send(.createIssue(title)) {
  ///   $0.update(.issues(of: "swift")) { $0.insert(draft, at: 0) }
  /// }
  /// ```
  ///
  /// If the write fails, its changes are taken back, those of other writes and later ones stay, and a value that was set
  /// meanwhile stays too. While it is under way, the resources that it changes aren't loaded, and a load that was under way
  /// is cancelled, since its answer may be older than the write. When it has ended, whichever way, they are stale, and
  /// those that are observed are loaded.
  ///
  /// - Parameters:
  ///   - resource: The write.
  ///   - expected: Collects what it is expected to change. Called at once.
  ///   - confirmed: Collects what it has changed, with the server's answer. Called if it succeeds, and applied together with
  ///     the expected changes becoming permanent.
  /// - Returns: The server's answer.
  /// - Throws: What the loader throws; `CancellationError` if the task is cancelled, or ``removeAll()`` was called.
  @discardableResult
  public func send<R>(
    _ resource: Resource<R>, _ expected: @MainActor (inout LiveChanges) -> Void = { _ in },
    then confirmed: @MainActor (inout LiveChanges, R) -> Void = { _, _ in }
  ) async throws -> R {
    let (write, epoch) = (nextID(), epoch)
    var changes = LiveChanges()
    expected(&changes)
    let entries = changes.steps.compactMap { $0.apply?(self, write) }
    let scopes = changes.steps.map(\.scope)
    do {
      let answer = try await load(resource, as: write)
      guard epoch == self.epoch else { throw CancellationError() }
      var further = LiveChanges()
      confirmed(&further, answer)
      for step in further.steps { _ = step.apply?(self, nil) }
      end(write, entries, scopes + further.invalidations, succeeded: true)
      return answer
    } catch {
      if epoch == self.epoch { end(write, entries, scopes, succeeded: false) }
      throw error
    }
  }

  /// Sends the write that an endpoint stands for, and shows what it is expected to change at once.
  ///
  /// - Parameters:
  ///   - endpoint: The write.
  ///   - expected: Collects what it is expected to change.
  ///   - confirmed: Collects what it has changed, with the server's answer.
  /// - Returns: The server's answer.
  /// - Throws: What the loader throws; `CancellationError` if the task is cancelled, or ``removeAll()`` was called.
  @discardableResult
  public func send<E: Endpoint>(
    _ endpoint: E, _ expected: @MainActor (inout LiveChanges) -> Void = { _ in },
    then confirmed: @MainActor (inout LiveChanges, E.R) -> Void = { _, _ in }
  ) async throws -> E.R {
    try await send(endpoint.resource, expected, then: confirmed)
  }

  /// Loads in a way that ``removeAll()`` can cancel, too.
  ///
  /// - Throws: What the loader throws; `CancellationError` if the task is cancelled, or ``removeAll()`` was called.
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

  private func end(
    _ write: UInt64, _ entries: [any LiveEntry], _ scopes: [InvalidationScope], succeeded: Bool
  ) {
    for entry in entries { entry.endWrite(write, succeeded: succeeded) }
    let changed = Set(entries.map { InvalidationScope.key($0.key) })
    for scope in scopes where !changed.contains(scope) { invalidate(scope) }
  }
}

extension LiveChanges {
  /// The scopes of the steps that change nothing.
  var invalidations: [InvalidationScope] { steps.filter { $0.apply == nil }.map(\.scope) }
}
