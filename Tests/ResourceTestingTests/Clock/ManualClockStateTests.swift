import Testing

@testable import ResourceTesting

@Suite struct ManualClockStateTests {
  @Test func `sleepers wake by deadline, and those with equal deadlines in order`() {
    var state = ManualClock.State()
    let waiters = (0..<5).map { _ in Waiter<Void>() }
    for (waiter, seconds) in zip(waiters, [3, 1, 3, 2, 9]) {
      _ = state.add(.init(deadline: .init(offset: .seconds(seconds)), waiter: waiter))
    }

    let woken = state.advance(to: .init(offset: .seconds(3)))

    let order = woken.map { sleeper in waiters.firstIndex { $0 === sleeper.waiter } }
    #expect(order == [1, 3, 0, 2])
    #expect(state.sleepers.count == 1)
  }

  @Test func `a sleeper whose deadline has been reached isn't added`() {
    var state = ManualClock.State()

    let isAsleep = state.add(.init(deadline: .init(), waiter: Waiter()))

    #expect(!isAsleep)
    #expect(state.sleepers.isEmpty)
  }
}
