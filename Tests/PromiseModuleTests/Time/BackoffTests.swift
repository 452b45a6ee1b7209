import PromiseModule
import Testing

@Suite struct BackoffTests {
  /// Always the same bits.
  struct Fixed: RandomNumberGenerator {
    var bits: UInt64
    mutating func next() -> UInt64 { bits }
  }

  @Test(arguments: zip([1, 2, 3, 4, 5, 1_000_000], [100, 200, 400, 800, 1000, 1000]))
  func `the wait grows by its factor up to the maximum`(failures: Int, milliseconds: Int) {
    let backoff = Backoff(base: .milliseconds(100), factor: 2, maximum: .seconds(1))

    #expect(backoff.ceiling(afterFailures: failures) == .milliseconds(milliseconds))
  }

  @Test(arguments: [
    Backoff(base: .seconds(1), factor: .infinity, maximum: .seconds(9)),
    Backoff(base: .seconds(1), factor: 1e300, maximum: .seconds(9)),
    Backoff(base: .seconds(1 << 40), factor: 1e9, maximum: .seconds(9)),
  ])
  func `no factor overflows`(backoff: Backoff) {
    #expect(backoff.ceiling(afterFailures: 50) == .seconds(9))
  }

  @Test(
    arguments: zip(
      [Backoff.Jitter.none, .equal, .full], [4.0...4.0, 2.0...4.0, 0.0...4.0]))
  func `jitter stays within its range`(jitter: Backoff.Jitter, range: ClosedRange<Double>) {
    let backoff = Backoff(base: .seconds(4), factor: 2, jitter: jitter)
    var low = Fixed(bits: 0)
    var high = Fixed(bits: .max)

    let shortest = backoff.wait(afterFailures: 1, using: &low) / .seconds(1)
    let longest = backoff.wait(afterFailures: 1, using: &high) / .seconds(1)

    #expect(range.contains(shortest) && range.contains(longest))
    #expect(abs(shortest - range.lowerBound) < 0.01)
    #expect(longest <= range.upperBound)
  }

  @Test func `a policy gives up after its attempts, its total time and final errors`() {
    var chance = Fixed(bits: 0)
    let policy = RetryPolicy(
      maximumAttempts: 3, backoff: Backoff(base: .seconds(1), factor: 1, jitter: .none),
      maximumTime: .seconds(10))

    func wait(_ error: any Error, _ failures: Int, _ elapsed: Duration) -> Duration? {
      policy.wait(after: error, failures: failures, elapsed: elapsed, using: &chance)
    }

    #expect(wait(Oops(), 1, .zero) == .seconds(1))
    #expect(wait(Oops(), 2, .seconds(8)) == .seconds(1))
    #expect(wait(Oops(), 3, .zero) == nil)
    #expect(wait(Oops(), 1, .seconds(9)) == nil)
    #expect(wait(CancellationError(), 1, .zero) == nil)
  }
}
