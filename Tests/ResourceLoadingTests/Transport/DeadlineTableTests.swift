import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn)
struct DeadlineTableTests {
  private static let second: UInt64 = 1_000_000_000

  @Test(arguments: [1, 50_000_000, second, 60 * second, 3600 * second])
  func `an action is due after its wait, and at most a 500th later`(_ wait: UInt64) {
    var table = DeadlineTable()
    let now = 123_456_789_012_345

    _ = table.add({}, after: wait, now: UInt64(now))

    let moment = table.earliest ?? 0
    #expect(moment >= UInt64(now) + wait)
    #expect(moment <= UInt64(now) + wait + max(wait / 500, 1 << 19))
    #expect(table.takeDue(at: moment - 1).isEmpty)
    #expect(table.takeDue(at: moment).count == 1)
    #expect(table.earliest == nil)
  }

  @Test func `a removed action isn't due, and its time is removed with earlier ones`() {
    var table = DeadlineTable()
    let (early, isFirst) = table.add({}, after: Self.second, now: 0)
    let (_, isSecond) = table.add({}, after: 2 * Self.second, now: 0)

    #expect(table.remove(early) != nil)
    #expect(table.remove(early) == nil)

    #expect(isFirst && !isSecond)
    #expect(table.takeDue(at: Self.second / 2).isEmpty)
    #expect(table.earliest.map { $0 >= 2 * Self.second } == true)
  }

  @Test func `an action that was due can't be removed, nor one that reuses its row`() {
    var table = DeadlineTable()
    let (old, _) = table.add({}, after: Self.second, now: 0)
    #expect(table.takeDue(at: 2 * Self.second).count == 1)
    let (new, _) = table.add({}, after: Self.second, now: 5 * Self.second)

    #expect(table.remove(old) == nil)

    #expect(table.remove(new) != nil)
  }

  @Test func `rows are reused, and the remaining actions stay in order`() {
    var table = DeadlineTable()
    let log = Mutex<[Int]>([])
    var tickets = (0..<10).map { number in
      table.add({ log.withLock { $0.append(number) } }, after: Self.second, now: 0).0
    }
    for _ in 0..<5 { _ = table.remove(tickets.removeFirst()) }
    for number in 10..<13 {
      _ = table.add({ log.withLock { $0.append(number) } }, after: Self.second, now: 0)
    }

    for action in table.takeDue(at: Self.second * 2) { action() }

    #expect(log.withLock { $0 } == [5, 6, 7, 8, 9, 10, 11, 12])
  }

  @Test
  func
    `actions are due in the order of their times, and those of one time in the order of their arrival`()
  {
    var table = DeadlineTable()
    var random = SeededGenerator(seed: 1)
    let log = Mutex<[Int]>([])
    let waits = (0..<500).map { _ in Int.random(in: 0..<100, using: &random) * 10_000_000 }
    for (number, wait) in waits.enumerated() {
      _ = table.add({ log.withLock { $0.append(number) } }, after: UInt64(wait), now: 0)
    }

    for action in table.takeDue(at: Self.second * 2) { action() }

    let expected = waits.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
    #expect(log.withLock { $0 } == expected.map(\.offset))
    #expect(table.earliest == nil)
  }

  @Test func `a row whose actions were all removed keeps no memory for them`() {
    var table = DeadlineTable()
    // 512 loads at a time for half a minute, each with 60 seconds, all of which are cancelled.
    for moment in 0..<1000 {
      let now = UInt64(moment) * Self.second / 33
      let tickets = (0..<512).map { _ in table.add({}, after: 60 * Self.second, now: now).0 }
      for ticket in tickets { _ = table.remove(ticket) }
    }

    #expect(table.capacity < 20_000)
    #expect(table.takeDue(at: 200 * Self.second).isEmpty)
  }
}
