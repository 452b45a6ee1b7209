internal import Foundation
internal import PromiseModule
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore
internal import Synchronization

/// The session of an outbox in this process: its file in the folder, from which other processes see
/// that it hasn't ended. It ends when the outbox was stopped and nothing uses it anymore.
final class OutboxSession: Sendable {
  let id = UUID().uuidString
  let folder: OutboxFolder
  private let isInMemory: Bool
  private let onEnd: @Sendable () -> Void
  private let stopping = Promise<Void>.pending()
  private let state = Mutex(State())

  private struct State {
    var lock: OutputFile?
    /// The number of uses that haven't ended.
    var useCount = 0
    var isStopped = false
  }

  init(of location: DatabaseLocation, onEnd: @escaping @Sendable () -> Void) {
    folder = OutboxFolder(of: location)
    isInMemory = if case .memory = location { true } else { false }
    self.onEnd = onEnd
  }
}

extension OutboxSession {
  func start() throws {
    let lock = try folder.begin(id)
    state.withLock { $0.lock = lock }
  }

  /// Keeps the session until ``endUse()``: while entries are sent, and while a write is added,
  /// whose files belong to the session until the commit.
  func beginUse() throws {
    try state.withLock { state in
      guard !state.isStopped else { throw LoadError.outboxClosed }
      state.useCount += 1
    }
  }

  func endUse() {
    state.withLock { $0.useCount -= 1 }
    endIfUnused()
  }

  var isStopped: Bool { state.withLock(\.isStopped) }

  /// Allows no further uses, and ends the session after the last one.
  func stop() {
    state.withLock { $0.isStopped = true }
    stopping.resolver.fulfill()
    endIfUnused()
  }

  /// Waits, at most until the session is stopped; returns whether it wasn't stopped.
  func pause(for duration: Duration, _ clock: LoadClock) async -> Bool {
    let pause = Promise { try await clock.sleep(duration) }
    _ = try? await Promise.race(pause, stopping.promise.shielded()).get()
    return !isStopped
  }

  private func endIfUnused() {
    let lock = state.withLock { state -> OutputFile?? in
      state.isStopped && state.useCount == 0 ? .some(state.lock.take()) : nil
    }
    guard let lock else { return }
    if let lock {
      folder.end(id, lock)
      if isInMemory { folder.remove() }
    }
    onEnd()
  }
}
