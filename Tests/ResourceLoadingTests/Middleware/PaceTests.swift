import Testing

@testable import ResourceLoading

@Suite struct PaceTests {
  @Test(arguments: [
    // Times of events in seconds, and the pause that each one finds: 0 if it may go.
    ([0, 0, 0], [0, 0, 10]), ([0, 4, 5, 10, 10], [0, 0, 5, 0, 4]), ([0, 9, 10, 11], [0, 0, 0, 8]),
    ([0, 9, 19, 20, 21], [0, 0, 0, 0, 8]), ([100, 1, 2, 11], [0, 0, 10, 1]),
  ])
  func `a window of two in ten seconds`(_ times: [Int], _ pauses: [Int]) {
    var window = Window(2, per: .seconds(10))

    let found = times.map { window.enter(at: .seconds($0)) ?? .zero }

    #expect(found == pauses.map { .seconds($0) })
  }

  @Test func `in no span there are more than the limit says`() {
    var window = Window(5, per: .seconds(1))
    var (now, sent): (Duration, [Duration]) = (.zero, [])
    for step in 0..<1000 {
      now += .milliseconds(step * 7 % 41)
      while let pause = window.enter(at: now) { now += pause }
      sent.append(now)
    }

    for (earlier, later) in zip(sent, sent.dropFirst(5)) { #expect(later - earlier >= .seconds(1)) }
  }

  @Test func `the first one waits for its time, the others for it`() {
    var pace = Pace<String>(1, per: .seconds(1))

    let entered = ["A", "B", "A"].map { pace.enter($0, at: .zero) }
    let second = pace.wait(for: "A", "second")
    // Not even when it is time: the second was there before.
    let late = pace.enter("A", at: .seconds(1))
    let third = pace.wait(for: "A", "third")
    let pauses = [0, 1].map { pace.pause(second.ticket, at: .seconds($0)) }
    let next = pace.leave(second.ticket)
    let pause = pace.pause(third.ticket, at: .seconds(1))
    let nobody = pace.leave(third.ticket)

    #expect(entered == [true, true, false])
    #expect(second.isFirst && !third.isFirst && !late)
    #expect(pauses == [.seconds(1), nil])
    #expect(next == "third" && nobody == nil)
    #expect(pause == .seconds(1))
  }

  @Test func `one that waits can leave without being the first`() {
    var pace = Pace<String>(1, per: .seconds(1))
    for _ in 0..<2 { _ = pace.enter("A", at: .zero) }
    let tickets = ["1", "2", "3"].map { pace.wait(for: "A", $0).ticket }

    let next = [1, 0, 0].map { pace.leave(tickets[$0]) }

    #expect(next == [nil, "3", nil])
  }

  @Test func `hosts of long ago are forgotten, and others aren't`() {
    var pace = Pace<String>(1, per: .seconds(1))

    let entered = (0..<1000).map { pace.enter("\($0)", at: .seconds($0)) }
    let again = pace.enter("999", at: .seconds(999))

    #expect(entered.allSatisfy(\.self) && !again)
    #expect(pace.hostCount < 200)
  }
}
