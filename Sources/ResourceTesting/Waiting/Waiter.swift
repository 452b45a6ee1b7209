import Dispatch
import Synchronization

/// One caller that waits for a value: a task that is suspended, or a thread that is blocked.
///
/// It may be finished before the wait begins; the first finish counts.
final class Waiter<Value: Sendable>: Sendable {
  private enum State {
    case idle
    case suspended(CheckedContinuation<Value, any Error>)
    case blocked(DispatchSemaphore)
    case finished(Result<Value, any Error>)
  }

  private let state = Mutex(State.idle)

  /// Suspends until the waiter is finished, or with `CancellationError` when the task is cancelled.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { suspend($0) }
    } onCancel: {
      finish(.failure(CancellationError()))
    }
  }

  /// Blocks the calling thread until the waiter is finished.
  func blockingValue() throws -> Value {
    let semaphore = DispatchSemaphore(value: 0)
    if let result = attach(.blocked(semaphore)) { return try result.get() }
    semaphore.wait()
    return try attach(.idle)?.get() ?? blockingValue()
  }

  /// Ends the wait; does nothing if it has ended before.
  func finish(_ result: Result<Value, any Error>) {
    let before = state.withLock { state in
      let before = state
      if case .finished = before { return before }
      state = .finished(result)
      return before
    }
    switch before {
    case .idle, .finished: break
    case .suspended(let continuation): continuation.resume(with: result)
    case .blocked(let semaphore): semaphore.signal()
    }
  }

  private func suspend(_ continuation: CheckedContinuation<Value, any Error>) {
    if let result = attach(.suspended(continuation)) { continuation.resume(with: result) }
  }

  /// Notes who waits; returns the result instead if there already is one.
  private func attach(_ waiting: State) -> Result<Value, any Error>? {
    state.withLock { state in
      if case .finished(let result) = state { return result }
      state = waiting
      return nil
    }
  }
}
