import PromiseModule
import Synchronization

/// Keeps what it is given to run, and counts it.
final class CountingExecutor: PromiseExecutor {
  private let jobs = Mutex<[@Sendable () -> Void]>([])

  func schedule(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
  }

  /// Runs all jobs, later ones included.
  ///
  /// - Returns: How many there were.
  func run() -> Int {
    var count = 0
    while let job = jobs.withLock({ $0.popLast() }) {
      job()
      count += 1
    }
    return count
  }
}
