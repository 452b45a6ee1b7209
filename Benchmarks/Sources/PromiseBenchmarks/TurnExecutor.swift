import Synchronization

/// Runs a task on the calling thread, in turns with what wakes it.
///
/// A task that waits is woken by other threads in a program, and their hops would drown what
/// waiting itself costs. Here there are none.
final class TurnExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs a task to its end.
  ///
  /// - Parameters:
  ///   - wake: Lets the task go on; called whenever it waits.
  ///   - body: What the task does.
  func run(waking wake: () -> Void, _ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self) { await body() }
    while let job = jobs.withLock({ $0.popLast() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
      if jobs.withLock({ $0.isEmpty }) { wake() }
    }
  }
}
