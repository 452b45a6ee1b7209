import Dispatch
import ResourcePrimitives
import Synchronization

extension SimulatedNetwork {
  /// Runs a test's body, and moves the ``clock`` to the next deadline whenever everything in it
  /// waits.
  ///
  /// The body, its child tasks and the tasks of the loads run one at a time, in an order drawn from
  /// the seed. Tasks that the code under test creates by `Task { … }`, the main actor, and queues
  /// run where they always do: the clock doesn't wait for them, so that their times may vary
  /// between runs. A body that waits for something that never comes, and for no deadline, never
  /// returns: give the test a time limit. One body runs on a network at a time.
  ///
  /// - Parameter body: The code under test.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func run<R: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    let executor = SimulationExecutor(seed: seed, clock: clock)
    executor.begin()
    let result = await withTaskExecutorPreference(executor) { () async -> Result<R, Failure> in
      // Before the caller resumes, so that the clock doesn't move after the body.
      defer { executor.end() }
      return await SimulatedExecution.$executor.withValue(executor) {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
      }
    }
    return try result.get()
  }
}

/// Runs tasks one at a time, in an order drawn from a seed, and moves a clock when all of them
/// wait.
private final class SimulationExecutor: TaskExecutor {
  private let clock: ManualClock
  private let queue = DispatchQueue(label: "ResourceTesting.SimulatedNetwork")
  private let state: Mutex<State>

  private struct State {
    var jobs: [UnownedJob] = []
    var random: SeededGenerator
    var isDraining = false
    var isRunning = false
    /// Whether a task has fallen asleep since the clock was last moved.
    var hasNewSleeper = false

    /// Returns whether the caller has to drain the queue, because nothing else does.
    mutating func begins() -> Bool {
      defer { isDraining = true }
      return !isDraining
    }
  }

  init(seed: UInt64, clock: ManualClock) {
    self.clock = clock
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      return state.begins()
    }
    if isFirst { queue.async { self.drain() } }
  }

  func begin() {
    state.withLock { $0.isRunning = true }
    clock.onSleep { [self] in noteSleeper() }
  }

  func end() {
    clock.onSleep(nil)
    state.withLock { $0.isRunning = false }
  }

  /// Moves the clock again if that had stopped because nothing slept: a task on another executor
  /// may be all that everything here waits for.
  private func noteSleeper() {
    let isFirst = state.withLock { state in
      state.hasNewSleeper = true
      return state.isRunning && state.begins()
    }
    if isFirst { queue.async { self.drain() } }
  }

  private func drain() {
    while let step = next() {
      switch step {
      case .run(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      // The woken task has been enqueued when this returns.
      case .move: if clock.advanceToNextDeadline() == nil, stop() { return }
      }
    }
  }

  private enum Step {
    case run(UnownedJob)
    case move
  }

  /// Takes out one of the jobs; `nil` if there is none and the clock doesn't move.
  private func next() -> Step? {
    state.withLock { state in
      guard !state.jobs.isEmpty else {
        (state.isDraining, state.hasNewSleeper) = (state.isRunning, false)
        return state.isRunning ? .move : nil
      }
      let index = Int.random(in: 0..<state.jobs.count, using: &state.random)
      state.jobs.swapAt(index, state.jobs.count - 1)
      return .run(state.jobs.removeLast())
    }
  }

  /// Stops taking jobs if there is none, and nothing has fallen asleep in the meantime.
  private func stop() -> Bool {
    state.withLock { state in
      state.isDraining = !state.jobs.isEmpty || state.hasNewSleeper
      return !state.isDraining
    }
  }
}
