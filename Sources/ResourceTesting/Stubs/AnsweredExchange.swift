import Foundation
import ResourceLoading
import ResourcePrimitives
import Synchronization

/// A step of an answer that needs no network.
enum AnswerStep: Sendable {
  /// Waits. The steps that it returns come before the remaining ones.
  case wait(@Sendable () async throws -> [AnswerStep])
  case sent(Int)
  case head(ResponseHead)
  case chunk(Data)
  case measured(ExchangeMetrics)
  case end(LoadError?)
}

extension AnswerStep {
  static func wait(for duration: Duration, on clock: LoadClock) -> AnswerStep {
    .wait {
      try await clock.sleep(duration)
      return []
    }
  }
}

/// One request that a stub or a recording answers, step by step.
final class AnsweredExchange: Exchange {
  enum Outcome {
    case answered
    case cancelled
  }

  private let receiver: any ExchangeReceiver
  private let ended: @Sendable (Outcome) -> Void
  private let state: Mutex<State>

  private struct State {
    var steps: ArraySlice<AnswerStep>
    /// Whether a thread or a task is taking steps.
    var isPlaying = false
    var isPaused = false
    var hasAnswered = false
    var isCancelled = false
    var task: Task<Void, Never>?

    mutating func next() -> AnswerStep? {
      guard !isPaused, let step = steps.popFirst() else {
        isPlaying = false
        return nil
      }
      return step
    }
  }

  /// - Parameter ended: Called once with the outcome, before the receiver is called.
  init(
    _ steps: [AnswerStep], _ receiver: any ExchangeReceiver,
    ended: @escaping @Sendable (Outcome) -> Void = { _ in }
  ) {
    (self.receiver, self.ended) = (receiver, ended)
    state = Mutex(State(steps: steps[...]))
  }
}

extension AnsweredExchange {
  /// Takes all steps up to the first wait before it returns, so that a clock or a gate sees this
  /// wait before the time limits of the load.
  func play() {
    guard begins() else { return }
    while let step = state.withLock({ $0.next() }) {
      guard case .wait = step else {
        take(step)
        continue
      }
      return keep(
        Task.startingHere {
          await self.takeInTime(step)
          await self.playOn()
        })
    }
  }

  func cancel() {
    let (task, isUnanswered) = state.withLock { state in
      defer { (state.isCancelled, state.task, state.steps) = (true, nil, []) }
      return (state.task, !state.isCancelled && !state.hasAnswered)
    }
    if isUnanswered { ended(.cancelled) }
    task?.cancel()
  }

  func pause() { state.withLock { $0.isPaused = true } }

  func resume() {
    state.withLock { $0.isPaused = false }
    guard begins() else { return }
    keep(Task(executorPreference: SimulatedExecution.executor) { await self.playOn() })
  }

  /// Returns whether the caller has to take the steps: there are some, and nothing else is taking
  /// them.
  private func begins() -> Bool {
    state.withLock { state in
      guard !state.isPlaying, !state.steps.isEmpty else { return false }
      state.isPlaying = true
      return true
    }
  }

  /// Cancels the task when the exchange is cancelled.
  private func keep(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  private func playOn() async {
    while let step = state.withLock({ $0.next() }) { await takeInTime(step) }
  }

  private func takeInTime(_ step: AnswerStep) async {
    guard case .wait(let wait) = step else { return take(step) }
    do {
      let steps = try await wait()
      if !steps.isEmpty { state.withLock { if !$0.isCancelled { $0.steps = steps + $0.steps } } }
    } catch {
      // An error of the clock. After a cancelled wait there are no further steps.
      state.withLock { if !$0.isCancelled { $0.steps = [.end(StubAnswer.failure(error))] } }
    }
  }

  private func take(_ step: AnswerStep) {
    let isFirst = state.withLock { state -> Bool? in
      guard !state.isCancelled else { return nil }
      defer { state.hasAnswered = true }
      return !state.hasAnswered
    }
    guard let isFirst else { return }
    if isFirst { ended(.answered) }
    switch step {
    case .wait: break
    case .sent(let count): receiver.sent(count, of: count)
    case .head(let head): receiver.received(head)
    case .chunk(let bytes): receiver.received(bytes)
    case .measured(let metrics): if receiver.wantsMetrics { receiver.measured(metrics) }
    case .end(let failure): receiver.finished(failure)
    }
  }
}
