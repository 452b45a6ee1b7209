import Synchronization

/// Tells the progress of one load, which never goes back, however many exchanges it has.
final class ProgressReporter: Sendable {
  private let report: @Sendable (TransferProgress) -> Void
  private let last = Mutex<[TransferProgress.Direction: TransferProgress]>([:])

  init(_ report: @escaping @Sendable (TransferProgress) -> Void) { self.report = report }

  func callAsFunction(_ progress: TransferProgress) {
    let isNews = last.withLock { last in
      if let before = last[progress.direction], before.completed >= progress.completed {
        return false
      }
      last[progress.direction] = progress
      return true
    }
    if isNews { report(progress) }
  }
}
