import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ManualClockTests {
  @Test func `time stands still until the clock is moved`() {
    let clock = ManualClock()

    #expect(clock.now.offset == .zero)
    clock.advance(by: .seconds(3))
    clock.advance(by: .zero)

    #expect(clock.now.offset == .seconds(3))
    #expect(clock.measure { clock.advance(by: .milliseconds(5)) } == .milliseconds(5))
  }

  @Test func `a sleeper wakes at its deadline and not before`() async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    try await clock.waitForSleepers(count: 1)

    clock.advance(by: .milliseconds(9999))
    #expect(clock.sleepers == 1)
    clock.advance(by: .milliseconds(1))

    try await sleeper.value
    #expect(clock.sleepers == 0)
  }

  @Test func `sleeping until an earlier instant returns at once`() async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(5))

    try await clock.sleep(until: .init(offset: .seconds(5)))
    try await clock.sleep(for: .zero)
    try await clock.sleep(for: .seconds(-1))
  }

  @Test func `advancing step by step wakes sleepers in the order of their deadlines`() async throws
  {
    let clock = ManualClock()
    for seconds in [3, 1, 2] {
      Task { try await clock.sleep(for: .seconds(seconds)) }
    }
    try await clock.waitForSleepers(count: 3)

    let steps = (0..<4).map { _ in clock.advanceToNextDeadline() }

    #expect(steps == [.seconds(1), .seconds(1), .seconds(1), nil])
    #expect(clock.nextDeadline == nil)
  }

  @Test func `a wait for sleepers times out with a description of the clock`() async throws {
    let clock = ManualClock()
    let early = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers(count: 1)
    clock.advanceToNextDeadline()
    try await early.value
    let limit = Task { try await clock.sleep(for: .seconds(60)) }
    try await clock.waitForSleepers(count: 1)

    let error = await #expect(throws: WaitTimeout.self) {
      try await clock.waitForSleepers(count: 1, within: .seconds(30), timeout: .milliseconds(10))
    }

    #expect(
      error?.description
        == "waited 0.01 seconds for 1 tasks to sleep for at most 30.0 seconds on a clock: 1 sleep now, until 61.0 seconds; 2 have slept in all; the time is 1.0 seconds"
    )
    limit.cancel()
  }

  @Test func `long sleeps can be excluded from a wait`() async throws {
    let clock = ManualClock()
    let limit = Task { try await clock.sleep(for: .seconds(60)) }
    try await clock.waitForSleepers(count: 1)
    let wait = Task { try await clock.waitForSleepers(count: 1, within: .seconds(30)) }

    let pause = Task { try await clock.sleep(for: .seconds(30)) }
    try await wait.value

    #expect(clock.nextDeadline?.offset == .seconds(30))
    limit.cancel()
    pause.cancel()
  }

  @Test func `a sleeper that sleeps again waits from the new time`() async throws {
    let clock = ManualClock()
    let sleeper = Task {
      try await clock.sleep(for: .seconds(1))
      try await clock.sleep(for: .seconds(2))
      return clock.now.offset
    }
    try await clock.waitForSleepers(count: 1)
    clock.advance(by: .seconds(1))
    try await clock.waitForSleepers(count: 1)
    #expect(clock.nextDeadline?.offset == .seconds(3))

    clock.advanceToNextDeadline()

    #expect(try await sleeper.value == .seconds(3))
  }

  @Test func `a cancelled sleeper wakes at once and no longer counts`() async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers(count: 1)

    sleeper.cancel()
    #expect(clock.sleepers == 0)

    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func `a task that is cancelled before it sleeps doesn't sleep`() async {
    let (clock, gate) = (ManualClock(), Gate())
    let sleeper = Task {
      try? await gate.opened()
      try await clock.sleep(for: .seconds(1))
    }
    sleeper.cancel()

    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func `a manual clock can be used as an existential`() async throws {
    let clock: any Clock<Duration> = ManualClock()

    try await clock.sleep(for: .zero)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 2])
  func `the longest durations don't trap`(_ longest: Duration) async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(3))
    let sleeper = Task { try await clock.sleep(for: longest) }
    try await clock.waitForSleepers(count: 1, within: longest, timeout: longest)

    #expect(clock.nextDeadline?.offset == .seconds(Int64.max))
    for _ in 0..<40 { clock.advance(by: longest) }

    try await sleeper.value
    #expect(clock.now.offset.components.seconds == Int64.max)
    let first = ManualClock.Instant(offset: .zero - longest)
    #expect(first.duration(to: clock.now) == .seconds(Int64.max))
    #expect(clock.now.duration(to: first) == .seconds(-Int64.max))
  }

  @Test func `a clock can't move backwards`() async {
    await #expect(processExitsWith: .failure) { ManualClock().advance(by: .seconds(-1)) }
  }
}
