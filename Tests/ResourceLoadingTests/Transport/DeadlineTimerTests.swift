import ResourceTesting
import Synchronization
import Testing

@testable import ResourceLoading

struct DeadlineTimerTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func `a timer is due at its time, and not before`() {
    var heap = DeadlineHeap()
    heap.add(DeadlineTimer(at: 5 * Self.second) {})

    #expect(heap.takeDue(at: 5 * Self.second - 1).isEmpty)
    #expect(heap.takeDue(at: 5 * Self.second).count == 1)
    #expect(heap.takeDue(at: 6 * Self.second).isEmpty)
    #expect(heap.first == nil)
  }

  @Test func `a cancelled timer isn't due, and is removed with earlier ones`() {
    var heap = DeadlineHeap()
    let (early, late) = (DeadlineTimer(at: Self.second) {}, DeadlineTimer(at: 2 * Self.second) {})
    heap.add(late)
    heap.add(early)
    #expect(heap.first === early)

    early.cancel()

    #expect(heap.takeDue(at: 0).isEmpty)
    #expect(heap.first === late)
    #expect(heap.takeDue(at: 2 * Self.second).count == 1)
  }

  @Test func `timers are due in the order of their times`() {
    var heap = DeadlineHeap()
    var random = SeededGenerator(seed: 1)
    let log = Mutex<[UInt64]>([])
    let moments = (0..<500).map { _ in UInt64.random(in: 0..<100, using: &random) }
    for moment in moments {
      heap.add(DeadlineTimer(at: moment) { log.withLock { $0.append(moment) } })
    }

    for now: UInt64 in [20, 20, 77, 100] {
      for action in heap.takeDue(at: now) { action() }
      #expect(log.withLock { $0 } == moments.filter { $0 <= now }.sorted())
    }
    #expect(heap.first == nil)
  }

  @Test func `timers stay in order when cancelled ones among them are removed`() {
    var heap = DeadlineHeap()
    var random = SeededGenerator(seed: 2)
    let log = Mutex<[UInt64]>([])
    var expected: [UInt64] = []
    for _ in 0..<2000 {
      let moment = UInt64.random(in: 0..<1000, using: &random)
      let timer = DeadlineTimer(at: moment) { log.withLock { $0.append(moment) } }
      heap.add(timer)
      if Int.random(in: 0..<5, using: &random) > 0 {
        timer.cancel()
      } else {
        expected.append(moment)
      }
    }

    #expect(heap.count < 1200)
    for action in heap.takeDue(at: 1000) { action() }

    #expect(log.withLock { $0 } == expected.sorted())
  }

  @Test func `cancelled timers take memory only for those that existed simultaneously`() {
    var heap = DeadlineHeap()
    // 512 loads at a time, each with a limit of 60 seconds. All are cancelled.
    for now in 0..<1000 {
      let timers = (0..<512).map { _ in DeadlineTimer(at: UInt64(now) + 60 * Self.second) {} }
      for timer in timers { heap.add(timer) }
      for timer in timers { timer.cancel() }
      #expect(heap.count <= 1024)
    }

    #expect(heap.takeDue(at: 200 * Self.second).isEmpty)
  }

  @Test func `the closure of a cancelled timer is released immediately`() {
    final class Owner: Sendable {}
    var owner: Owner? = Owner()
    weak let freed = owner
    var heap = DeadlineHeap()
    let timer = DeadlineTimer(at: Self.second) { [owner] in withExtendedLifetime(owner) {} }
    heap.add(timer)
    owner = nil

    timer.cancel()

    #expect(freed == nil)
    #expect(heap.count == 1)
  }
}
