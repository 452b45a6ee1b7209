import Synchronization

/// Has the records of an upload stored one after another, the last one in any case.
final class UploadRecorder: Sendable {
  private let save: (@Sendable (UploadRecord) async throws -> Void)?
  private let state = Mutex(State())

  private struct State {
    /// The record that was stored last, or is being stored; `nil` if that failed.
    var stored: UploadRecord?
    /// What is to be stored next.
    var waiting: UploadRecord?
    var task: Task<Void, Never>?
    /// Why the last record couldn't be stored.
    var failure: (any Error)?
  }

  init(_ save: (@Sendable (UploadRecord) async throws -> Void)?) { self.save = save }

  /// Has a record stored soon.
  func note(_ record: UploadRecord) {
    guard let save else { return }
    state.withLock { state in
      guard record != state.stored || state.waiting != nil else { return }
      state.waiting = record
      guard state.task == nil else { return }
      state.task = Task {
        while let record = self.take() {
          do { try await save(record) } catch {
            self.state.withLock { ($0.stored, $0.failure) = (nil, error) }
          }
        }
      }
    }
  }

  private func take() -> UploadRecord? {
    state.withLock { state in
      guard let record = state.waiting.take() else {
        state.task = nil
        return nil
      }
      (state.stored, state.failure) = (record, nil)
      return record
    }
  }

  /// Waits until the last record is stored, and throws if that failed.
  func flush() async throws {
    while let task = state.withLock(\.task) { await task.value }
    if let failure = state.withLock(\.failure) { throw failure }
  }
}

/// The end of a body, which waits until something is stored.
final class DelayedEnd: Sendable {
  private enum State {
    case unasked
    case storing([@Sendable () -> Void])
    case stored
    case failed(any Error)
  }

  private let state = Mutex(State.unasked)

  /// Begins to store a record, the first time that it is called.
  func begin(storing recorder: UploadRecorder, _ record: () -> UploadRecord) {
    let isFirst = state.withLock { state in
      guard case .unasked = state else { return false }
      state = .storing([])
      return true
    }
    guard isFirst else { return }
    recorder.note(record())
    Task {
      do {
        try await recorder.flush()
        end(.stored)
      } catch { end(.failed(error)) }
    }
  }

  private func end(_ outcome: State) {
    let waiters = state.withLock { state in
      defer { state = outcome }
      if case .storing(let waiters) = state { return waiters }
      return []
    }
    for resume in waiters { resume() }
  }

  /// Returns whether the end may be sent; otherwise `resume` is called when that is decided.
  func mayPass(_ resume: @escaping @Sendable () -> Void) throws -> Bool {
    try state.withLock { state in
      switch state {
      case .stored: return true
      case .failed(let error): throw error
      case .storing(let waiters): state = .storing(waiters + [resume])
      case .unasked: break
      }
      return false
    }
  }
}
