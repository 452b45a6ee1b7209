import Dispatch
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// A value whose changes tasks and threads can await without polling.
///
/// `Value` should be small, because every change copies it for the waiters.
final class Observed<Value: Sendable>: Sendable {
  typealias Condition = @Sendable (Value) -> Bool

  private struct State {
    var value: Value
    var failure: (any Error)?
    var waits: [Wait] = []
  }

  private struct Wait {
    let waiter: Waiter<Value>
    let condition: Condition
  }

  private let state: Mutex<State>

  init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  var value: Value {
    state.withLock { $0.value }
  }

  /// Changes the value, then wakes the waiters whose condition is true.
  ///
  /// `change` runs under the lock and must not call out; conditions run after it.
  @discardableResult
  func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    let (result, value, waits) = state.withLock { state in
      let result = change(&state.value)
      // Without waiters the value isn't copied. A copy would make the next change of a collection
      // copy all of it.
      return (result, state.waits.isEmpty ? nil : state.value, state.waits)
    }
    if let value {
      for wait in waits where wait.condition(value) { settle(wait.waiter, .success(value)) }
    }
    return result
  }

  /// Fails all present and future waits whose condition isn't true.
  func fail(with failure: any Error) {
    let waits = state.withLock { state in
      state.failure = failure
      return state.waits
    }
    for wait in waits { settle(wait.waiter, .failure(failure)) }
  }

  /// Suspends until a condition is true for the value; returns at once if it is.
  func wait(until condition: @escaping Condition) async throws -> Value {
    let waiter = enlist(condition)
    defer { dismiss(waiter) }
    return try await waiter.value()
  }

  /// Suspends until a condition is true for the value, within a time limit. `describe` describes
  /// the condition and the value for the message of a timeout.
  func wait(
    for limit: Duration = .seconds(60), _ describe: @escaping @Sendable (Value) -> String,
    until condition: @escaping Condition
  ) async throws -> Value {
    let waiter = enlist(condition)
    let timer = Task { [self] in
      try await ContinuousClock().sleep(for: min(limit, .century))
      settle(waiter, .failure(WaitTimeout("waited \(limit) for \(describe(value))")))
    }
    defer {
      timer.cancel()
      dismiss(waiter)
    }
    return try await waiter.value()
  }

  /// Blocks the calling thread until a condition is true for the value; returns at once if it is.
  @discardableResult
  func block(until condition: @escaping Condition) throws -> Value {
    let waiter = enlist(condition)
    defer { dismiss(waiter) }
    return try waiter.blockingValue()
  }

  private func enlist(_ condition: @escaping Condition) -> Waiter<Value> {
    let waiter = Waiter<Value>()
    let (value, failure) = state.withLock { state in
      state.waits.append(Wait(waiter: waiter, condition: condition))
      return (state.value, state.failure)
    }
    if condition(value) {
      settle(waiter, .success(value))
    } else if let failure {
      settle(waiter, .failure(failure))
    }
    return waiter
  }

  private func settle(_ waiter: Waiter<Value>, _ result: Result<Value, any Error>) {
    dismiss(waiter)
    waiter.finish(result)
  }

  private func dismiss(_ waiter: Waiter<Value>) {
    state.withLock { $0.waits.removeAll { $0.waiter === waiter } }
  }
}

/// The error of a wait that took too long.
public struct WaitTimeout: Error, Sendable, CustomStringConvertible {
  /// The condition that was waited for, the time limit, and the state at the end.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// A suspended task or a blocked thread that waits for a value.
///
/// It may be finished before the wait begins. Only the first call of `finish` has an effect.
final class Waiter<Value: Sendable>: Sendable {
  private enum State {
    case idle
    case suspended(CheckedContinuation<Value, any Error>)
    case blocked(DispatchSemaphore)
    case finished(Result<Value, any Error>)
  }

  private let state = Mutex(State.idle)

  /// Suspends until the waiter is finished.
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

  /// Ends the wait; does nothing if it has ended already.
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

  /// Registers the waiting task or thread; returns the result instead if there is one already.
  private func attach(_ waiting: State) -> Result<Value, any Error>? {
    state.withLock { state in
      if case .finished(let result) = state { return result }
      state = waiting
      return nil
    }
  }
}
