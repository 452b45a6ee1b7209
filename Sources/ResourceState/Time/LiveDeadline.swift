import ResourcePrimitives

/// A time at which something happens on its own, unless this is released before.
struct LiveDeadline: Sendable {
  let time: Duration
  private let sleeper: CancelledTask

  /// - Parameter body: Called at the time or later.
  @MainActor
  init(_ time: Duration, on clock: LoadClock, _ body: @escaping @MainActor @Sendable () -> Void) {
    self.time = time
    sleeper = CancelledTask(
      Task {
        guard (try? await clock.sleepUntil(time)) != nil, !Task.isCancelled else { return }
        body()
      })
  }
}

/// A task that is cancelled when the last reference to it is released.
final class CancelledTask: Sendable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  deinit { task.cancel() }
}
