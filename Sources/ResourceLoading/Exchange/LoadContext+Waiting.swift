import PromiseModule
import Synchronization

extension LoadContext {
  /// Ends the load, if it isn't its caller who cancels it: what it waits for is over with a
  /// `CancellationError`, and ``explain(_:)`` knows why.
  func end(for reason: any Error) {
    let interrupt = termination.withLock { $0.end(for: reason) }
    interrupt?()
  }

  /// Whether the load has been ended, if it isn't its caller who cancels it.
  var hasEnded: Bool { termination.withLock { $0.reason != nil } }

  /// - Throws: `CancellationError` if the load has ended or the calling task is cancelled.
  func checkEnd() throws {
    try Task.checkCancellation()
    if hasEnded { throw CancellationError() }
  }

  /// Waits for something that ends with a `CancellationError` when the load does.
  ///
  /// - Parameters:
  ///   - interrupt: Ends it; may be called before it has begun, and after it is over.
  ///   - wait: Waits.
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

  /// Waits for something that others wrote, and that nothing but the cancellation of its task ends: in a task of its
  /// own, unless the load ends with the task that it runs in.
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
      // First the work ends, so that nothing of it is left when the caller hears of it.
      task.cancel()
      promise.cancel()
    }
    if termination.withLock({ $0.keep(interrupt) }) { interrupt() }
    return try await promise.get()
  }

  /// Waits for a promise that no other load waits for, until the load ends.
  func wait<Value>(for promise: Promise<Value>) async throws -> Value {
    try await waiting(until: { promise.cancel() }, for: { try await promise.get() })
  }

  /// Waits for a promise that others may wait for, too, until the load ends.
  ///
  /// - Parameter counts: Is called as soon as the promise isn't cancelled any more when all others leave; not at
  ///   all if it is settled already.
  func wait<Value>(
    forShared promise: Promise<Value>, counts: () -> Void = {}
  ) async throws -> Value {
    let waiter = promise.makeWaiter()
    defer { termination.withLock { $0.endWaiting() } }
    // A load that has ended leaves at once: if no other waits, that ends what it waits for.
    if termination.withLock({ $0.beginWaiting { waiter.leave() } }) {
      waiter.leave()
    } else if waiter.isWaiting {
      counts()
    }
    return try await waiter.value()
  }

  /// Waits for a while, until the load ends.
  func sleep(for duration: Duration) async throws {
    let (clock, moment) = (clock, clock.now() + duration)
    try await wait(for: Promise { try await clock.sleepUntil(moment) })
  }
}

/// Whether a load has been ended, if it isn't its caller who cancels it, and what it waits for until then.
struct Termination: Sendable {
  /// Why the load was ended; `nil` if it goes on.
  private(set) var reason: (any Error)?
  /// Ends what it waits for at the moment.
  private var interrupt: (@Sendable () -> Void)?
  /// Whether everything that the load waits for ends with the task that it runs in.
  private(set) var endsWithTask: Bool

  init(endsWithTask: Bool) { self.endsWithTask = endsWithTask }
}

extension Termination {
  /// - Returns: Ends what the load waits for; to be called without the lock.
  mutating func end(for reason: any Error) -> (@Sendable () -> Void)? {
    self.reason = self.reason ?? reason
    defer { interrupt = nil }
    return interrupt
  }

  /// Takes note of what ends the wait that begins now.
  ///
  /// - Returns: Whether the load has ended: then nobody calls it.
  mutating func beginWaiting(_ interrupt: @escaping @Sendable () -> Void) -> Bool {
    endsWithTask ? reason != nil : keep(interrupt)
  }

  /// The wait is over.
  mutating func endWaiting() { if !endsWithTask { interrupt = nil } }

  /// A task is about to be made that the load ends with.
  ///
  /// - Returns: Whether it is needed: the load has none.
  mutating func enterTask() -> Bool {
    defer { endsWithTask = true }
    return !endsWithTask
  }

  /// Takes note of what ends the load from now on.
  ///
  /// - Returns: Whether it has ended: then nobody calls it.
  mutating func keep(_ interrupt: @escaping @Sendable () -> Void) -> Bool {
    guard reason == nil else { return true }
    self.interrupt = interrupt
    return false
  }

  /// The task is over, or abandoned.
  mutating func leaveTask() { (endsWithTask, interrupt) = (false, nil) }
}

extension Task where Success == Void, Failure == Never {
  /// Starts a task that runs on the calling thread until it waits for the first time, where the system has
  /// that: one change of threads less. Only for callers that no actor waits for.
  package static func startingHere(
    _ operation: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return .immediate { await operation() }
    }
    return Task { await operation() }
  }
}
