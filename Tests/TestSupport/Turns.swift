import Foundation
import Synchronization

/// The turns that tests take: some more than there are processors, because many tests mostly wait.
final class Turns: Sendable {
  static let shared = Turns(4 * ProcessInfo.processInfo.activeProcessorCount)

  private struct State {
    var free: Int
    /// The waiting tests, the first one first.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
