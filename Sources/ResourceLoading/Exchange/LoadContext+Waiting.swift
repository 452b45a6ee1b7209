import PromiseModule
import Synchronization

extension LoadContext {
  /// Ends the load, if it isn't its caller who cancels it: what it waits for is over with a
  /// `CancellationError`, and ``explain(_:)`` knows why.
  func end(for reason: LoadError) {
    let interrupt = ending.withLock { $0.come(for: reason) }
    interrupt?()
  }

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
    guard !ending.withLock({ $0.prepare(interrupt) }) else {
      interrupt()
      throw CancellationError()
    }
    defer { ending.withLock { $0.stopWaiting() } }
    return try await wait()
  }

  /// Waits for a promise that nobody else waits for, until the load ends.
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
    defer { ending.withLock { $0.stopWaiting() } }
    // A load that has ended leaves at once: if nobody else waits, that ends what it waits for.
    if ending.withLock({ $0.prepare { waiter.leave() } }) {
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

  private var hasEnded: Bool { ending.withLock { $0.hasCome } }
}

/// Whether a load has been ended, if it isn't its caller who cancels it, and what it waits for until then.
struct Ending: Sendable {
  /// Why the load was ended; `nil` if it goes on.
  private(set) var reason: LoadError?
  /// Ends what it waits for at the moment.
  private var interrupt: (@Sendable () -> Void)?
}

extension Ending {
  var hasCome: Bool { reason != nil }

  /// - Returns: Ends what the load waits for; to be called without the lock.
  mutating func come(for reason: LoadError) -> (@Sendable () -> Void)? {
    self.reason = reason
    defer { interrupt = nil }
    return interrupt
  }

  /// Takes note of what ends the wait that begins now.
  ///
  /// - Returns: Whether the load has ended: then nobody calls it.
  mutating func prepare(_ interrupt: @escaping @Sendable () -> Void) -> Bool {
    guard !hasCome else { return true }
    self.interrupt = interrupt
    return false
  }

  /// The wait is over.
  mutating func stopWaiting() { interrupt = nil }
}
