import PromiseModule
import Synchronization

extension LoadContext {
  /// Ends the load for another reason than cancellation by its caller: what it waits for throws
  /// `CancellationError`, and ``explain(_:)`` replaces that by the reason.
  func end(for reason: any Error) {
    let interrupt = termination.withLock { $0.end(for: reason) }
    interrupt?()
  }

  /// Whether ``end(for:)`` was called.
  var hasEnded: Bool { termination.withLock { $0.reason != nil } }

  func checkEnd() throws {
    try Task.checkCancellation()
    if hasEnded { throw CancellationError() }
  }

  /// Waits for an operation that can be interrupted when the load ends.
  ///
  /// - Parameters:
  ///   - interrupt: Ends the operation with a `CancellationError`. It may be called before the
  ///     operation has begun, and after it has ended.
  ///   - wait: The operation.
  func waiting<Value>(
    until interrupt: @escaping @Sendable () -> Void, for wait: () async throws -> Value
  ) async throws -> Value {
    guard !termination.withLock({ $0.beginWaiting(interrupt) }) else {
      interrupt()
      throw CancellationError()
    }
    defer { termination.withLock { $0.endWaiting() } }
    return try await wait()
  }

  /// Runs code that only the cancellation of its task can interrupt, such as a user's: in a task of
  /// its own, unless the load ends with the current task.
  func inTask<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try checkEnd()
    guard termination.withLock({ $0.enterTask() }) else { return try await body() }
    defer { termination.withLock { $0.leaveTask() } }
    let (promise, resolver) = Promise<Value>.pending()
    let task = Task.startingHere {
      do { resolver.fulfill(try await body()) } catch { resolver.reject(error) }
    }
    resolver.onCancel { task.cancel() }
    let interrupt = { @Sendable in
      // The work is cancelled first, so that it has ended when the caller resumes.
      task.cancel()
      promise.cancel()
    }
    if termination.withLock({ $0.keep(interrupt) }) { interrupt() }
    return try await promise.get()
  }

  /// Waits for a promise that no other load waits for, and cancels it if the load ends.
  func wait<Value>(for promise: Promise<Value>) async throws -> Value {
    try await waiting(until: { promise.cancel() }, for: { try await promise.get() })
  }

  /// Waits for a promise that other loads may wait for too, until the load ends.
  ///
  /// - Parameter counts: Called once this load counts as a waiter, so that the promise isn't
  ///   cancelled when all others leave. It isn't called for a settled promise.
  func wait<Value>(
    forShared promise: Promise<Value>, counts: () -> Void = {}
  ) async throws -> Value {
    let own = promise.map(on: .inline) { $0 }
    defer { termination.withLock { $0.endWaiting() } }
    // A load that has ended leaves at once. Without other waiters that cancels the promise.
    if termination.withLock({ $0.beginWaiting { own.cancel() } }) {
      own.cancel()
    } else if own.result == nil {
      counts()
    }
    return try await own.get()
  }

  /// Waits for a duration, or until the load ends.
  func sleep(for duration: Duration) async throws {
    let (clock, moment) = (clock, clock.now() + duration.countable)
    try await wait(for: Promise { try await clock.sleepUntil(moment) })
  }
}

/// Whether and why a load has been ended, and how to interrupt what it waits for.
struct Termination: Sendable {
  /// The reason of the end; `nil` while the load continues.
  private(set) var reason: (any Error)?
  /// Interrupts what the load waits for at the moment.
  private var interrupt: (@Sendable () -> Void)?
  /// Whether everything that the load waits for ends with the task that it runs in.
  private(set) var endsWithTask: Bool

  init(endsWithTask: Bool) { self.endsWithTask = endsWithTask }
}

extension Termination {
  /// - Returns: A closure that interrupts what the load waits for. It must be called without the
  ///   lock.
  mutating func end(for reason: any Error) -> (@Sendable () -> Void)? {
    self.reason = self.reason ?? reason
    defer { interrupt = nil }
    return interrupt
  }

  /// Records how to interrupt the wait that begins now.
  ///
  /// - Returns: Whether the load has ended, so that the closure won't be called.
  mutating func beginWaiting(_ interrupt: @escaping @Sendable () -> Void) -> Bool {
    endsWithTask ? reason != nil : keep(interrupt)
  }

  /// Records that the wait is over.
  mutating func endWaiting() { if !endsWithTask { interrupt = nil } }

  /// Records that a task is about to be created with which the load ends.
  ///
  /// - Returns: Whether it is needed, because the load has none yet.
  mutating func enterTask() -> Bool {
    defer { endsWithTask = true }
    return !endsWithTask
  }

  /// Records how to end the load from now on.
  ///
  /// - Returns: Whether it has ended, so that the closure won't be called.
  mutating func keep(_ interrupt: @escaping @Sendable () -> Void) -> Bool {
    guard reason == nil else { return true }
    self.interrupt = interrupt
    return false
  }

  /// Records that the task is over or abandoned.
  mutating func leaveTask() { (endsWithTask, interrupt) = (false, nil) }
}

extension Task where Success == Void, Failure == Never {
  /// Starts a task that runs on the calling thread until it waits for the first time, where the
  /// system supports that. It saves a change of threads. Only for callers outside of actors.
  package static func startingHere(
    _ operation: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return .immediate { await operation() }
    }
    return Task { await operation() }
  }
}
