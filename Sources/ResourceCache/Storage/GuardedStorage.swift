internal import Foundation
internal import ResourceLoading
internal import Synchronization

/// Stands between a cache and its storage: no failure of the storage becomes one of a load, nothing that was
/// removed is used or comes back.
final class GuardedStorage: Sendable {
  private let storage: any ResponseStorage
  private let maximumBodySize: Int
  private let state = Mutex(State())

  private struct State {
    var log = RemovalLog()
    var owed = OwedRemovals()
    var clock = ClockWatch()
  }

  /// - Parameter maximumBodySize: How many bytes the body of a response may have that is stored.
  init(_ storage: any ResponseStorage, maximumBodySize: Int) {
    self.storage = storage
    self.maximumBodySize = maximumBodySize
  }
}

/// When a load began, as far as removals are concerned.
struct LoadMark: Sendable {
  /// Before it looked for anything, by the removals of its own cache.
  let beginning: RemovalMark
  /// Before it asked, by the removals of whoever shares the storage; `nil` where the storage failed.
  var question: RemovalMark?
  /// How far the clock had come when it was set back; `nil` if it wasn't, as far as the cache has seen.
  let setBackFrom: Date?
}

extension GuardedStorage {
  /// A load begins that may store something; see ``store(_:for:since:_:)``.
  ///
  /// - Parameter moment: Now.
  func begin(_ moment: Next.Timestamp) -> LoadMark {
    state.withLock { state in
      state.clock.note(moment)
      return LoadMark(beginning: state.log.mark, setBackFrom: state.clock.setBackFrom)
    }
  }

  /// A load is about to ask the server.
  func ask(_ mark: LoadMark, _ report: (LoadEvent.Kind) -> Void) async -> LoadMark {
    var mark = mark
    do { mark.question = try await storage.mark() } catch {
      if !Task.isCancelled { report(.cacheFailed(error)) }
    }
    return mark
  }

  /// Does something with the storage, which others may have written: in a task of its own, unless the storage is in
  /// memory.
  func run<Value: Sendable>(
    _ next: Next, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    storage is MemoryResponseStorage ? try await body() : try await next.inTask(body)
  }

  /// What is found under a key without waiting; `nil` if the storage has to be asked.
  func immediateResponses(for key: CacheKey) -> [StoredResponse]? {
    guard state.withLock({ $0.owed.due(for: key).isEmpty }) else { return nil }
    if let memory = storage as? MemoryResponseStorage { return memory.responses(for: key) }
    return (storage as? TieredResponseStorage)?.immediateResponses(for: key)
  }

  /// What is stored under a key; nothing if the storage fails, of which the observer is told.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled.
  func responses(
    for key: CacheKey, _ report: (LoadEvent.Kind) -> Void
  ) async throws -> [StoredResponse] {
    do {
      try await makeUp(for: key)
      return try await storage.responses(for: key)
    } catch {
      try Task.checkCancellation()
      report(.cacheFailed(error))
      return []
    }
  }

  /// Stores a response, unless it is too large, or was removed since its load began.
  func store(
    _ response: StoredResponse, for key: CacheKey, since mark: LoadMark,
    _ report: (LoadEvent.Kind) -> Void
  ) async {
    guard response.response.body.count <= maximumBodySize else {
      return await drop(key, report)
    }
    guard let question = mark.question else {
      // The observer knows. What it should have replaced may be there still.
      return state.withLock { $0.owed.owe(.entry(key)) }
    }
    do {
      try await makeUp(for: key)
      guard !state.withLock({ $0.log.covers(key, since: mark.beginning) }) else { return }
      try await storage.store(response, for: key, since: question)
    } catch {
      // What it should have replaced is there still, or again.
      state.withLock { $0.owed.owe(.entry(key)) }
      if !Task.isCancelled { report(.cacheFailed(error)) }
    }
  }

  /// Removes what is stored under a key, since there is something newer that can't be.
  func drop(_ key: CacheKey, _ report: (LoadEvent.Kind) -> Void) async {
    do { try await remove(.entry(key)) } catch { report(.cacheFailed(error)) }
  }

  /// Removes what is stored, and what is on its way. If that fails, it isn't used until it has been removed.
  ///
  /// - Throws: What the storage throws.
  func remove(_ scope: CacheScope) async throws {
    state.withLock { $0.log.note(scope) }
    do {
      try await storage.remove(scope)
      state.withLock { $0.owed.settle(scope) }
    } catch {
      state.withLock { $0.owed.owe(scope) }
      throw error
    }
  }
}

extension GuardedStorage {
  /// Removes what should have been, as far as a key is concerned.
  private func makeUp(for key: CacheKey) async throws {
    for scope in state.withLock({ $0.owed.due(for: key) }) {
      try await storage.remove(scope)
      state.withLock { $0.owed.settle(scope) }
    }
  }
}
