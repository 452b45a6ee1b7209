import PromiseModule
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct TimeTests {
  @Test func `a delay ends when its time has come`() async throws {
    let clock = ManualClock()
    let delay = Promise.delay(for: .seconds(2), clock: clock)
    try await clock.waitForSleeps(1)

    clock.advance(by: .seconds(1))
    #expect(!delay.isSettled)
    clock.advance(by: .seconds(1))

    try await delay.get()
  }

  @Test func `a timeout rejects, and cancels what was too slow`() async throws {
    let clock = ManualClock()
    let (slow, resolver) = Promise<Int>.pending()
    let limited = slow.timeout(after: .seconds(1), clock: clock)
    try await clock.waitForSleeps(1)

    clock.advance(by: .seconds(1))

    await #expect(throws: TimeoutError(after: .seconds(1))) { try await limited.get() }
    #expect(!resolver.isPending)
  }

  @Test func `a wait that is longer than a clock can count lasts a century`() async throws {
    let clock = ManualClock()
    let delay = Promise<Void>.delay(for: .seconds(Int64.max), clock: clock)
    try await clock.waitForSleeps(1)

    clock.advance(by: .seconds(100 * 365 * 86_400))

    try await delay.get()
  }

  @Test func `a timeout spares a promise for which others wait`() async throws {
    let clock = ManualClock()
    let (slow, resolver) = Promise<Int>.pending()
    let patient = slow.map(on: .inline) { $0 }
    let limited = slow.timeout(after: .seconds(1), clock: clock)
    try await clock.waitForSleeps(1)

    clock.advance(by: .seconds(1))
    await #expect(throws: TimeoutError.self) { try await limited.get() }
    resolver.fulfill(1)

    #expect(patient.fulfilledValue == 1)
  }

  @Test func `an outcome in time stops the timer`() async throws {
    let clock = ManualClock()
    let (promise, resolver) = Promise<Int>.pending()
    let limited = promise.timeout(after: .seconds(1), clock: clock)
    try await clock.waitForSleeps(1)

    resolver.fulfill(1)

    #expect(try await limited.get() == 1)
    while clock.hasSleepers { await Task.yield() }
  }

  @Test func `a retry waits as its policy says and ends with the first value`() async throws {
    let clock = ManualClock()
    let log = Log<Int>()
    let policy = RetryPolicy(
      attempts: 3, backoff: Backoff(base: .seconds(1), factor: 3, jitter: .none))
    let retried = Promise<Int>.retry(policy, clock: clock) { number in
      log.add(number)
      if number < 3 { throw Oops(number: number) }
      return .fulfilled(number)
    }

    try await clock.waitForSleeps(1)
    clock.advance(by: .seconds(1))
    try await clock.waitForSleeps(2)
    clock.advance(by: .seconds(2))
    #expect(log.entries == [1, 2])
    clock.advance(by: .seconds(1))

    #expect(try await retried.get() == 3)
    #expect(log.entries == [1, 2, 3])
  }

  @Test func `a retry that runs out of attempts fails with the last error`() async {
    let policy = RetryPolicy(attempts: 3, backoff: .none)

    let retried = Promise<Int>.retry(policy) { throw Oops(number: $0) }

    await #expect(throws: Oops(number: 3)) { try await retried.get() }
  }

  @Test func `a retry lets pass what isn't worth it`() async {
    let log = Log<Int>()
    let policy = RetryPolicy(backoff: .none) { !($0 is Oops) }

    let retried = Promise<Int>.retry(policy) { number in
      log.add(number)
      throw Oops(number: number)
    }

    await #expect(throws: Oops(number: 1)) { try await retried.get() }
    #expect(log.entries == [1])
  }

  @Test func `cancelling a retry ends its wait`() async throws {
    let clock = ManualClock()
    let log = Log<Int>()
    let policy = RetryPolicy(backoff: Backoff(jitter: .none))
    let retried = Promise<Int>.retry(policy, clock: clock) { number in
      log.add(number)
      throw Oops()
    }
    try await clock.waitForSleeps(1)

    retried.cancel()
    while clock.hasSleepers { await Task.yield() }
    clock.advance(by: .seconds(100))

    #expect(retried.rejection is CancellationError)
    #expect(log.entries == [1])
  }
}
