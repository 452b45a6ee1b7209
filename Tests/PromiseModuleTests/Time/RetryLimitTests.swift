import PromiseModule
import Testing

/// The edges of a retry policy's time.
struct RetryLimitTests {
  private struct Failed: Error {}

  private func wait(elapsed: Duration, total: Duration?, backoff: Duration) -> Duration? {
    let policy = RetryPolicy(
      backoff: Backoff(base: backoff, maximum: backoff, jitter: .none), maximumTime: total)
    var generator = SystemRandomNumberGenerator()
    return policy.wait(after: Failed(), failures: 1, elapsed: elapsed, using: &generator)
  }

  @Test func `no wait ends or begins after the time is over`() {
    #expect(wait(elapsed: .seconds(1), total: .seconds(3), backoff: .seconds(1)) == .seconds(1))
    #expect(wait(elapsed: .seconds(2), total: .seconds(3), backoff: .seconds(1)) == nil)
    #expect(wait(elapsed: .seconds(3), total: .seconds(3), backoff: .zero) == nil)
    #expect(wait(elapsed: .seconds(4), total: .seconds(3), backoff: .zero) == nil)
    #expect(wait(elapsed: .seconds(4), total: nil, backoff: .seconds(1)) == .seconds(1))
  }

  @Test func `an error without failures says so, and one of several names each`() {
    #expect(AggregateError([]).description == "There was nothing to wait for.")
    #expect(
      AggregateError([BrokenPromiseStandIn(), BrokenPromiseStandIn()]).description
        == "2 failed:\n- broken\n- broken")
  }

  private struct BrokenPromiseStandIn: Error, CustomStringConvertible {
    let description = "broken"
  }
}
