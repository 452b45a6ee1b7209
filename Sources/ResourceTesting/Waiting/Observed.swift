import Synchronization

/// A value that can be waited for: tasks are resumed, and threads woken, by the change they wait
/// for. Nothing is polled.
///
/// `Value` should be small: every change hands a copy to those who wait.
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

  /// Changes the value, then wakes those whose condition has come true.
  ///
  /// `change` runs under the lock and must not call out; conditions run after it.
  @discardableResult
  func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    let (result, value, waits) = state.withLock { state in
      let result = change(&state.value)
      // No copy that nobody needs: it would make the next change of a collection copy it all.
      return (result, state.waits.isEmpty ? nil : state.value, state.waits)
    }
    if let value {
      for wait in waits where wait.condition(value) { settle(wait.waiter, .success(value)) }
    }
    return result
  }

  /// Ends all waits, present and future, whose condition isn't true.
  func fail(with failure: any Error) {
    let waits = state.withLock { state in
      state.failure = failure
      return state.waits
    }
    for wait in waits { settle(wait.waiter, .failure(failure)) }
  }

  /// Suspends until `condition` is true of the value; at once if it is.
  func wait(until condition: @escaping Condition) async throws -> Value {
    let waiter = enlist(condition)
    defer { dismiss(waiter) }
    return try await waiter.value()
  }

  /// The same within a minute.
  ///
  /// - Parameters:
  ///   - limit: How long it may take.
  ///   - describe: What is waited for, and what there is of it, in words.
  /// - Throws: ``WaitTimeout`` if it takes longer.
  func wait(
    for limit: Duration = .seconds(60), _ describe: @escaping @Sendable (Value) -> String,
    until condition: @escaping Condition
  ) async throws -> Value {
    let waiter = enlist(condition)
    let timer = Task { [self] in
      try await ContinuousClock().sleep(for: limit)
      settle(waiter, .failure(WaitTimeout("waited \(limit) for \(describe(value))")))
    }
    defer {
      timer.cancel()
      dismiss(waiter)
    }
    return try await waiter.value()
  }

  /// Blocks the calling thread until `condition` is true of the value; at once if it is.
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

/// A test waited too long for something that didn't come.
public struct WaitTimeout: Error, Sendable, CustomStringConvertible {
  /// What was waited for, for how long, and what came instead.
  public let description: String

  init(_ description: String) { self.description = description }
}
