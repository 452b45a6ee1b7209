import ResourceLoading
import Synchronization

/// One request to a stub transport: ends once, by its answer or by being cancelled.
final class StubExchange: Exchange {
  enum Outcome {
    case answered
    case cancelled
  }

  private let answer: StubAnswer
  private let receiver: any ExchangeReceiver
  private let ended: @Sendable (Outcome) -> Void
  private let state = Mutex(State())

  private struct State {
    var task: Task<Void, Never>?
    var hasEnded = false
  }

  /// - Parameter ended: Is told once how it ended, before the receiver is told anything.
  init(
    _ answer: StubAnswer, receiver: any ExchangeReceiver,
    ended: @escaping @Sendable (Outcome) -> Void
  ) {
    self.answer = answer
    self.receiver = receiver
    self.ended = ended
  }

  /// What needn't wait is told before this returns, and what has to is waiting then: whoever looks at a clock or a
  /// gate afterwards finds the answer there before the time limits of the load.
  func start() {
    guard answer.waits else { return tell(answer) }
    let task = Task.startingHere { self.tell(await self.settledAnswer()) }
    let isOver = state.withLock { state in
      if !state.hasEnded { state.task = task }
      return state.hasEnded
    }
    if isOver { task.cancel() }
  }

  private func tell(_ answer: StubAnswer) {
    if end(.answered) { answer.tell(receiver) }
  }

  /// The answer once its time has come, or the error of the clock that it waited on.
  private func settledAnswer() async -> StubAnswer {
    do {
      try await answer.pause()
      return answer
    } catch {
      return .error(error)
    }
  }

  func cancel() {
    let task = state.withLock { $0.task }
    if end(.cancelled) { task?.cancel() }
  }

  private func end(_ outcome: Outcome) -> Bool {
    let isFirst = state.withLock { state in
      defer { (state.hasEnded, state.task) = (true, nil) }
      return !state.hasEnded
    }
    if isFirst { ended(outcome) }
    return isFirst
  }
}
