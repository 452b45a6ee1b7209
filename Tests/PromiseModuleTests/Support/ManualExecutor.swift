import PromiseModule
import Synchronization

/// An executor that keeps its jobs until a test runs them, and counts them.
final class ManualExecutor: PromiseExecutor {
  private let jobs = Guarded<[@Sendable () -> Void]>([])
  private let scheduled = Atomic(0)

  var hops: Int { scheduled.load(ordering: .sequentiallyConsistent) }

  func schedule(_ job: @escaping @Sendable () -> Void) {
    scheduled.add(1, ordering: .sequentiallyConsistent)
    jobs.withLock { $0.append(job) }
  }

  /// Runs jobs until none is left, including those that they add.
  func drain() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
  }
}
