import ResourcePrimitives
import Synchronization

/// The task of a load: why it was ended, and the caller that waits for it.
struct LoadWork: Sendable {
  /// Why the load was ended; `nil` while it continues, or if it ended by itself.
  private(set) var reason: (any Error)?
  private var task: Task<Void, Never>?
  /// Ends the load at its deadline, or lets the caller go if the task doesn't heed its end.
  private var timer: DeadlineTimer?
  /// Resumes the caller with an error; `nil` if it has been resumed, or there is none.
  private var caller: Caller?

  typealias Caller = @Sendable (any Error) -> Void
}

extension LoadWork {
  /// Ends the load, unless it was ended before.
  ///
  /// - Returns: The task to cancel; `nil` if there is none.
  mutating func end(for reason: any Error) -> Task<Void, Never>? {
    guard self.reason == nil else { return nil }
    self.reason = reason
    return task
  }

  /// Records the task.
  ///
  /// - Returns: Whether the load was ended while the task began, so that it has to be cancelled.
  mutating func begin(_ task: Task<Void, Never>) -> Bool {
    self.task = task
    return reason != nil
  }

  /// Whether a caller waits.
  var isAwaited: Bool { caller != nil }

  mutating func wait(_ caller: @escaping Caller) { self.caller = caller }

  /// Sets a timer in place of the one before.
  ///
  /// - Returns: The timer to cancel: the one before, or this one if no caller waits.
  mutating func arm(_ timer: DeadlineTimer) -> DeadlineTimer? {
    guard caller != nil else { return timer }
    defer { self.timer = timer }
    return self.timer
  }

  /// Takes out the caller, which is resumed once.
  mutating func resume() -> (caller: Caller, timer: DeadlineTimer?)? {
    guard let caller = caller.take() else { return nil }
    return (caller, timer.take())
  }
}

extension LoadContext {
  /// Runs the load in a task of its own and waits for it. The task is cancelled when the calling
  /// task is, at the deadline, or by ``end(for:)``.
  ///
  /// As a rule the caller resumes when everything that the load had in use is free again. If a
  /// stage ignores that it is cancelled, the caller resumes after ``grace``, and the task goes on
  /// without effect.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try checkEnd()
    return try await withTaskCancellationHandler {
      try await unsafe withUnsafeThrowingContinuation { continuation in
        // Resumed exactly once, by whoever takes the caller out.
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

  /// Begins the task of the load.
  func start(_ body: @escaping @Sendable () async -> Void) {
    let task = Task.startingHere(body)
    if work.withLock({ $0.begin(task) }) { cancel(task) }
  }

  /// Ends the load: what it waits for throws `CancellationError`, and ``explain(_:)`` replaces that
  /// by the reason.
  func end(for reason: any Error) {
    if let task = work.withLock({ $0.end(for: reason) }) { cancel(task) }
  }

  /// Checks whether the load goes on, also in a task that a stage has created.
  func checkEnd() throws {
    try Task.checkCancellation()
    if work.withLock(\.reason) != nil { throw CancellationError() }
  }

  /// Waits for a duration.
  func sleep(for duration: Duration) async throws { try await clock.sleep(duration) }
}

extension LoadContext {
  /// How long the caller waits for a task that has been cancelled.
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
  /// Starts a task that runs on the calling thread until it waits for the first time, where the
  /// system supports that. It saves a change of threads. Only for callers outside of actors.
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
