import ResourcePrimitives
import Testing

@testable import ResourceLoading

@Suite struct SlidingWindowLimiterTests {
  private typealias Limiter = SlidingWindowLimiter<String>

  private static func origin(_ host: String) -> Origin {
    Origin(scheme: "http", host: host, port: 80)
  }

  @Test(arguments: [
    // The times of events in seconds, and the pause before each one: 0 if it needs none.
    ([0, 0, 0], [0, 0, 10]), ([0, 4, 5, 10, 10], [0, 0, 5, 0, 4]), ([0, 9, 10, 11], [0, 0, 0, 8]),
    ([0, 9, 19, 20, 21], [0, 0, 0, 0, 8]), ([100, 1, 2, 11], [0, 0, 10, 1]),
  ])
  func `a window of two in ten seconds`(_ times: [Int], _ pauses: [Int]) {
    var window = SlidingWindow(2, per: .seconds(10))

    let found = times.map { window.enter(at: .seconds($0)) ?? .zero }

    #expect(found == pauses.map { .seconds($0) })
  }

  @Test func `no span has more events than the limit`() {
    var window = SlidingWindow(5, per: .seconds(1))
    var (now, sent): (Duration, [Duration]) = (.zero, [])
    for step in 0..<1000 {
      now += .milliseconds(step * 7 % 41)
      while let pause = window.enter(at: now) { now += pause }
      sent.append(now)
    }

    for (earlier, later) in zip(sent, sent.dropFirst(5)) { #expect(later - earlier >= .seconds(1)) }
  }

  @Test func `the first event waits for its time, the others wait for the first`() {
    var limiter = Limiter(1, per: .seconds(1))

    let entered = ["A", "B", "A"].map { limiter.enter(Self.origin($0), at: .zero) }
    let second = limiter.wait(for: Self.origin("A"), "second")
    // It waits even at that time, because the second was there before.
    let late = limiter.enter(Self.origin("A"), at: .seconds(1))
    let third = limiter.wait(for: Self.origin("A"), "third")
    let pauses = [0, 1].map { limiter.pause(second.ticket, at: .seconds($0)) }
    let next = limiter.leave(second.ticket)
    let pause = limiter.pause(third.ticket, at: .seconds(1))
    let nobody = limiter.leave(third.ticket)

    #expect(entered == [true, true, false])
    #expect(second.isFirst && !third.isFirst && !late)
    #expect(pauses == [.seconds(1), nil])
    #expect(next == "third" && nobody == nil)
    #expect(pause == .seconds(1))
  }

  @Test func `a waiting event can leave without being the first`() {
    var limiter = Limiter(1, per: .seconds(1))
    for _ in 0..<2 { _ = limiter.enter(Self.origin("A"), at: .zero) }
    let tickets = ["1", "2", "3"].map { limiter.wait(for: Self.origin("A"), $0).ticket }

    let next = [1, 0, 0].map { limiter.leave(tickets[$0]) }

    #expect(next == [nil, "3", nil])
  }

  @Test func `only hosts without recent events are forgotten`() {
    var limiter = Limiter(1, per: .seconds(1))

    let entered = (0..<1000).map { limiter.enter(Self.origin("\($0)"), at: .seconds($0)) }
    let again = limiter.enter(Self.origin("999"), at: .seconds(999))

    #expect(entered.allSatisfy(\.self) && !again)
    #expect(limiter.hostCount < 200)
  }
}
