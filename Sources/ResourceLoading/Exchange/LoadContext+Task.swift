import ResourcePrimitives
import Synchronization

/// The task of a load, the reason for its end, and the caller that waits for it.
struct LoadWork: Sendable {
  /// The reason for ending the load; `nil` while it continues, or if it completed.
  private(set) var reason: (any Error)?
  private var task: Task<Void, Never>?
  /// Ends the load at its deadline, or resumes the caller if the task ignores its cancellation.
  private var timer: DeadlineTimer?
  /// Resumes the caller with an error; `nil` if it has been resumed, or there is none.
  private var caller: Caller?

  typealias Caller = @Sendable (any Error) -> Void
}

extension LoadWork {
  /// Ends the load unless it has already ended, and returns the task to cancel.
  mutating func end(for reason: any Error) -> Task<Void, Never>? {
    guard self.reason == nil else { return nil }
    self.reason = reason
    return task
  }

  /// Records the task; returns whether the load has already ended, so that the task has to be
  /// cancelled.
  mutating func begin(_ task: Task<Void, Never>) -> Bool {
    self.task = task
    return reason != nil
  }

  var isAwaited: Bool { caller != nil }

  mutating func wait(_ caller: @escaping Caller) { self.caller = caller }

  /// Sets a timer in place of the one before. Returns the timer to cancel: the one before, or this
  /// one if no caller waits.
  mutating func arm(_ timer: DeadlineTimer) -> DeadlineTimer? {
    guard caller != nil else { return timer }
    defer { self.timer = timer }
    return self.timer
  }

  /// Removes the caller, which must be resumed only once.
  mutating func resume() -> (caller: Caller, timer: DeadlineTimer?)? {
    guard let caller = caller.take() else { return nil }
    return (caller, timer.take())
  }
}

extension LoadContext {
  /// Runs the load in a task of its own and waits for it. The task is cancelled when the calling
  /// task is, at the deadline, or by ``end(for:)``.
  ///
  /// The caller usually resumes after the load has released everything. If a stage ignores the
  /// cancellation, the caller resumes after ``grace``, and the task continues without effect.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // Nothing is sent for a caller whose deadline has passed.
    if let timeout, timeout <= .zero { end(for: LoadError(tookLongerThan: timeout)) }
    try checkEnd()
    return try await withTaskCancellationHandler {
      try await unsafe withUnsafeThrowingContinuation { continuation in
        // The code that removes the caller resumes it exactly once.
        work.withLock { $0.wait { unsafe continuation.resume(throwing: $0) } }
        start { [self] in
          let result: Result<Value, any Error>
          do { result = .success(try await body()) } catch { result = .failure(error) }
          if takeCaller() != nil { unsafe continuation.resume(with: result) }
        }
        // A load that waits for nothing, such as one from a cache in memory, is over by now.
        if work.withLock(\.isAwaited) { watchTheClock() }
      }
    } onCancel: {
      end(for: CancellationError())
    }
  }

  func start(_ body: @escaping @Sendable () async -> Void) {
    // The load has its caller's deadline already. Work that starts in its task may serve others.
    let task = Deadline.withoutCurrent { Task.startingHere(body) }
    if work.withLock({ $0.begin(task) }) { cancel(task) }
  }

  /// Ends the load. Its task is cancelled, and ``explain(_:)`` replaces the `CancellationError` by
  /// the reason.
  func end(for reason: any Error) {
    if let task = work.withLock({ $0.end(for: reason) }) { cancel(task) }
  }

  /// Throws if the load has ended, also in a task that a stage has created.
  func checkEnd() throws {
    try Task.checkCancellation()
    if work.withLock(\.reason) != nil { throw CancellationError() }
  }

  func sleep(for duration: Duration) async throws { try await clock.sleep(duration) }
}

extension LoadContext {
  /// How long the caller waits for a cancelled task.
  private static let grace = Duration.milliseconds(250)

  private func cancel(_ task: Task<Void, Never>) {
    task.cancel()
    guard work.withLock(\.isAwaited) else { return }
    let end = LoadClock.system.now() + Self.grace
    arm(
      DeadlineTimer(at: end, on: .system) { [self] in takeCaller()?(CancellationError()) })
  }

  private func watchTheClock() {
    guard let deadline else { return }
    arm(
      DeadlineTimer(at: deadline, on: clock) { [self] in
        end(for: LoadError(tookLongerThan: timeout))
      })
  }

  private func arm(_ timer: DeadlineTimer) { work.withLock { $0.arm(timer) }?.cancel() }

  private func takeCaller() -> LoadWork.Caller? {
    guard let (caller, timer) = work.withLock({ $0.resume() }) else { return nil }
    timer?.cancel()
    return caller
  }
}

extension Task where Success == Void, Failure == Never {
  /// Starts a task that runs on the calling thread until it first waits, where the system supports
  /// that. This saves a change of threads. Only for callers outside of actors.
  package static func startingHere(
    _ operation: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let executor = SimulatedExecution.executor
    if executor == nil, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return .immediate { await operation() }
    }
    return Task(executorPreference: executor) { await operation() }
  }
}
