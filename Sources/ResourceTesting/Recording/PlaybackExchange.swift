import Foundation
import ResourceLoading
import Synchronization

/// One request that is answered from a recording.
final class PlaybackExchange: Exchange {
  private let receiver: any ExchangeReceiver
  private let clock: LoadClock
  private let state: Mutex<State>

  private struct State {
    var steps: ArraySlice<PlaybackStep>
    /// Whether a thread or a task takes steps.
    var isPlaying = false
    var isPaused = false
    var isCancelled = false
    var task: Task<Void, Never>?

    /// The next step; `nil` if there is none for now.
    mutating func next() -> PlaybackStep? {
      guard !isPaused, !isCancelled, let step = steps.popFirst() else {
        isPlaying = false
        return nil
      }
      return step
    }
  }

  init(_ steps: [PlaybackStep], _ receiver: any ExchangeReceiver, _ clock: LoadClock) {
    (self.receiver, self.clock) = (receiver, clock)
    state = Mutex(State(steps: steps[...]))
  }
}

extension PlaybackExchange {
  /// Takes all steps up to the first that takes time before it returns, so that a clock has the wait before the time limits
  /// of the load.
  func play() {
    guard begins() else { return }
    while let step = state.withLock({ $0.next() }) {
      guard case .wait = step else {
        take(step)
        continue
      }
      return playLater(step)
    }
  }

  func cancel() {
    let task = state.withLock { state in
      defer { (state.isCancelled, state.task) = (true, nil) }
      state.steps = []
      return state.task
    }
    task?.cancel()
  }

  func pause() { state.withLock { $0.isPaused = true } }

  func resume() {
    state.withLock { $0.isPaused = false }
    if begins() { keep(Task { await self.playOn() }) }
  }

  /// Returns whether the caller is to take the steps: there are some, and nothing else takes them.
  private func begins() -> Bool {
    state.withLock { state in
      guard !state.isPlaying, !state.steps.isEmpty else { return false }
      state.isPlaying = true
      return true
    }
  }

  /// Waits, and continues in a task.
  private func playLater(_ wait: PlaybackStep) {
    keep(
      Task.startingHere {
        await self.takeInTime(wait)
        await self.playOn()
      })
  }

  private func playOn() async {
    while let step = state.withLock({ $0.next() }) { await takeInTime(step) }
  }

  /// Has the task end with the exchange.
  private func keep(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  private func takeInTime(_ step: PlaybackStep) async {
    // A cancelled wait is followed by no step.
    if case .wait(let time) = step { try? await clock.sleep(time) } else { take(step) }
  }

  private func take(_ step: PlaybackStep) {
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
