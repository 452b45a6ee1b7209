import Synchronization

/// Tells the progress of one load, which never goes back, however many exchanges it has.
final class ProgressReporter: Sendable {
  private let report: @Sendable (TransferProgress) -> Void
  private let hasListeners: (@Sendable () -> Bool)?
  private let last = Mutex<[TransferProgress.Direction: TransferProgress]>([:])

  init(_ report: @escaping @Sendable (TransferProgress) -> Void) {
    self.report = report
    hasListeners = nil
  }

  /// Tells whoever listens at the time.
  init(
    when hasListeners: @escaping @Sendable () -> Bool,
    _ report: @escaping @Sendable (TransferProgress) -> Void
  ) {
    self.report = report
    self.hasListeners = hasListeners
  }

  /// Whether anybody is told; if not, it needn't be found out.
  var isWanted: Bool { hasListeners?() ?? true }

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
