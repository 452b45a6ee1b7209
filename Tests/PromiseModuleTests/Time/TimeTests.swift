import PromiseModule
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct TimeTests {
  @Test func `a delay ends when its time has passed`() async throws {
    let clock = ManualClock()
    let delay = Promise.delay(for: .seconds(2), clock: clock)
    try await clock.waitForSleeps(1)

    clock.advance(by: .seconds(1))
    #expect(!delay.isSettled)
    clock.advance(by: .seconds(1))

    try await delay.get()
  }

  @Test func `a timeout rejects and cancels the slow promise`() async throws {
    let clock = ManualClock()
    let (slow, resolver) = Promise<Int>.pending()
    let limited = slow.timeout(after: .seconds(1), clock: clock)
    try await clock.waitForSleeps(1)

    clock.advance(by: .seconds(1))

    await #expect(throws: TimeoutError(after: .seconds(1))) { try await limited.get() }
    #expect(!resolver.isPending)
  }

  @Test func `a wait that is longer than a clock can measure lasts a century`() async throws {
    let clock = ManualClock()
    let delay = Promise<Void>.delay(for: .seconds(Int64.max), clock: clock)
    try await clock.waitForSleeps(1)

    clock.advance(by: .seconds(100 * 365 * 86_400))

    try await delay.get()
  }

  @Test func `a timeout doesn't cancel a promise that something else waits for`() async throws {
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

  @Test func `a retry waits as its policy says and succeeds with the first value`() async throws {
    let clock = ManualClock()
    let log = Log<Int>()
    let policy = RetryPolicy(
      maximumAttempts: 3, backoff: Backoff(base: .seconds(1), factor: 3, jitter: .none))
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

  private static let extremes: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(-1), .zero,
    Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
  ]

  @Test(arguments: extremes)
  func `a duration of any length and sign becomes a wait that a clock can measure`(
    duration: Duration
  )
    async throws
  {
    let delays: [Promise<Void>] = [
      .delay(for: duration), .delay(for: duration, clock: .suspending),
      .delay(for: duration, clock: ManualClock()),
    ]
    let limited = Promise<Int>.pending()
    let timeout = limited.promise.timeout(after: duration)
    let policies = [
      RetryPolicy(
        maximumAttempts: 2, backoff: Backoff(base: duration, factor: 10, maximum: duration)),
      RetryPolicy(
        maximumAttempts: 2, backoff: Backoff(base: .seconds(1), maximum: duration),
        maximumTime: duration),
      RetryPolicy(maximumAttempts: 2, backoff: .none, maximumTime: duration),
    ]
    let retries = policies.map { policy in Promise<Int>.retry(policy) { throw Oops(number: $0) } }

    if duration > .zero {
      #expect(delays.allSatisfy { !$0.isSettled })
      limited.resolver.fulfill(1)
      #expect(try await timeout.get() == 1)
      await #expect(throws: Oops(number: 2)) { try await retries[2].get() }
    } else {
      for delay in delays { try await delay.get() }
      await #expect(throws: TimeoutError(after: duration)) { try await timeout.get() }
      await #expect(throws: Oops(number: 2)) { try await retries[0].get() }
      await #expect(throws: Oops(number: 1)) { try await retries[1].get() }
    }
    for promise in delays { promise.cancel() }
    for promise in retries { promise.cancel() }
    #expect(!TimeoutError(after: duration).description.isEmpty)
  }

  @Test func `a retry that runs out of attempts fails with the last error`() async {
    let policy = RetryPolicy(maximumAttempts: 3, backoff: .none)

    let retried = Promise<Int>.retry(policy) { throw Oops(number: $0) }

    await #expect(throws: Oops(number: 3)) { try await retried.get() }
  }

  @Test func `a retry fails at once with an error that isn't retryable`() async {
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
