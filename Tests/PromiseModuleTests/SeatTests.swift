import PromiseModule
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SeatTests {
  @Test(arguments: [false, true])
  func `a seat that was left before the task came is empty`(_ isSettled: Bool) async throws {
    let (promise, resolver) = Promise<Int>.pending()
    if isSettled { resolver.fulfill(1) }
    let seat = promise.makeSeat()

    seat.leave()
    let value = try? await seat.value(unless: { true })

    #expect(value == (isSettled ? 1 : nil))
    #expect(isSettled || promise.rejection is CancellationError)
  }

  @Test func `leaving wakes the task, and the last to leave cancels the promise`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    var sitting: [(seat: Seat<Int>, task: Task<Int, any Error>)] = []
    for _ in 0..<2 {
      let (seat, sits) = (promise.makeSeat(), Promise<Void>.pending())
      let task = Task {
        try await seat.value(unless: {
          sits.resolver.fulfill()
          return false
        })
      }
      try await sits.promise.get()
      sitting.append((seat, task))
    }

    var pending: [Bool] = []
    for (seat, task) in sitting {
      seat.leave()
      await #expect(throws: CancellationError.self) { try await task.value }
      pending.append(resolver.isPending)
    }

    #expect(pending == [true, false])
  }

  @Test func `who stays gets the value`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let (leaves, stays) = (promise.makeSeat(), promise.makeSeat())
    let others = promise.map(on: .inline) { $0 }
    let task = Task { try await leaves.value(unless: { true }) }

    await #expect(throws: CancellationError.self) { try await task.value }
    resolver.fulfill(1)

    #expect(try await stays.value(unless: { false }) == 1)
    #expect(others.fulfilledValue == 1)
  }
}
