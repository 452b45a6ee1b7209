internal import Foundation
internal import ResourceLoading
internal import Synchronization

/// Stands between a cache and its storage: no failure of the storage becomes one of a load, nothing that was
/// removed is used or comes back.
final class CacheKeeper: Sendable {
  private let storage: any ResponseStorage
  private let maximumBodySize: Int
  private let state = Mutex(State())

  private struct State {
    var log = RemovalLog()
    var owed = OwedRemovals()
  }

  /// - Parameter maximumBodySize: How many bytes the body of a response may have that is stored.
  init(_ storage: any ResponseStorage, maximumBodySize: Int) {
    self.storage = storage
    self.maximumBodySize = maximumBodySize
  }
}

extension CacheKeeper {
  /// Something is asked for that may be stored; see ``store(_:for:since:_:)``.
  func begin() -> Int { state.withLock { $0.log.begin() } }

  /// It is over.
  func end(_ ticket: Int) { state.withLock { $0.log.end(ticket) } }

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

  /// Stores a response, unless it is too large, or was removed since it was asked for.
  func store(
    _ response: StoredResponse, for key: CacheKey, since ticket: Int,
    _ report: (LoadEvent.Kind) -> Void
  ) async {
    guard response.response.body.count <= maximumBodySize else {
      return await drop(key, report)
    }
    do {
      try await makeUp(for: key)
      guard !isRemoved(key, since: ticket) else { return }
      try await storage.store(response, for: key)
      // Nobody waits for the storage under the lock: it may have been removed meanwhile.
      if isRemoved(key, since: ticket) { try await storage.remove(.entry(key)) }
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

extension CacheKeeper {
  private func isRemoved(_ key: CacheKey, since ticket: Int) -> Bool {
    state.withLock { $0.log.covers(key, since: ticket) }
  }

  /// Removes what should have been, as far as a key is concerned.
  private func makeUp(for key: CacheKey) async throws {
    for scope in state.withLock({ $0.owed.due(for: key) }) {
      try await storage.remove(scope)
      state.withLock { $0.owed.settle(scope) }
    }
  }
}
