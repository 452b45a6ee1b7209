import Dispatch
import ResourcePrimitives
import Synchronization

extension SimulatedNetwork {
  /// Runs a test's body, and moves the ``clock`` to the next deadline whenever everything in it
  /// waits.
  ///
  /// The body, its child tasks and the tasks of the loads run one at a time, in an order drawn from
  /// the seed. Tasks that the code under test creates by `Task { … }`, the main actor, and queues run
  /// where they always do: the clock doesn't wait for them, so that their times may vary between
  /// runs. A body that waits for something that never comes, and for no deadline, never returns: give
  /// the test a time limit.
  ///
  /// - Parameter body: The code under test.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func run<R: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    let executor = SimulationExecutor(seed: seed, clock: clock)
    executor.begin()
    defer { executor.end() }
    let result = await withTaskExecutorPreference(executor) { () async -> Result<R, Failure> in
      await SimulatedExecution.$executor.withValue(executor) {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
      }
    }
    return try result.get()
  }
}

/// Runs tasks one at a time, in an order drawn from a seed, and moves a clock when all of them wait.
private final class SimulationExecutor: TaskExecutor {
  private let clock: ManualClock
  private let queue = DispatchQueue(label: "ResourceTesting.SimulatedNetwork")
  private let state: Mutex<State>

  private struct State {
    var jobs: [UnownedJob] = []
    var random: SeededGenerator
    /// Whether the queue takes jobs.
    var isDraining = false
    /// Whether the clock may be moved.
    var isRunning = false
  }

  init(seed: UInt64, clock: ManualClock) {
    self.clock = clock
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if isFirst { queue.async { self.drain() } }
  }

  func begin() {
    state.withLock { $0.isRunning = true }
    clock.onSleep { [weak self] in self?.drainAgain() }
  }

  func end() {
    clock.onSleep(nil)
    state.withLock { $0.isRunning = false }
  }

  /// Moves the clock for a task that runs elsewhere and has fallen asleep after all others.
  private func drainAgain() {
    let isFirst = state.withLock { state in
      defer { state.isDraining = state.isDraining || state.isRunning }
      return state.isRunning && !state.isDraining
    }
    if isFirst { queue.async { self.drain() } }
  }

  private func drain() {
    while let step = next() {
      switch step {
      case .run(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      // Whoever is woken has enqueued its task when this returns.
      case .move: if clock.advanceToNextDeadline() == nil, stop() { return }
      }
    }
  }

  private enum Step {
    case run(UnownedJob)
    case move
  }

  /// Takes out one of the jobs; `nil` if there is none, and the clock isn't to be moved.
  private func next() -> Step? {
    state.withLock { state in
      guard !state.jobs.isEmpty else {
        state.isDraining = state.isRunning
        return state.isRunning ? .move : nil
      }
      let index = Int.random(in: 0..<state.jobs.count, using: &state.random)
      state.jobs.swapAt(index, state.jobs.count - 1)
      return .run(state.jobs.removeLast())
    }
  }

  /// Stops to take jobs if there is none, and nothing sleeps.
  private func stop() -> Bool {
    let hasStopped = state.withLock { state in
      state.isDraining = !state.jobs.isEmpty
      return !state.isDraining
    }
    // What has fallen asleep meanwhile was told that this moves the clock.
    if hasStopped, clock.nextDeadline != nil { drainAgain() }
    return hasStopped
  }
}
