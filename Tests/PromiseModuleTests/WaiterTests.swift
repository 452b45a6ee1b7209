import PromiseModule
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WaiterTests {
  @Test(arguments: [false, true])
  func `a waiter that leaves before its task comes waits for nothing`(_ isSettled: Bool)
    async throws
  {
    let (promise, resolver) = Promise<Int>.pending()
    if isSettled { resolver.fulfill(1) }
    let waiter = promise.makeWaiter()
    #expect(waiter.isWaiting == !isSettled)

    waiter.leave()
    let value = try? await waiter.value()

    #expect(value == (isSettled ? 1 : nil))
    #expect(isSettled || promise.rejection is CancellationError)
  }

  @Test func `leaving wakes the task, and the last to leave cancels the promise`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let waiters = (0..<2).map { _ in promise.makeWaiter() }
    let tasks = waiters.map { waiter in Task { try await waiter.value() } }

    var pending: [Bool] = []
    for (waiter, task) in zip(waiters, tasks) {
      waiter.leave()
      await #expect(throws: CancellationError.self) { try await task.value }
      pending.append(resolver.isPending)
    }

    #expect(pending == [true, false])
  }

  @Test func `who stays gets the value`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let (leaves, stays) = (promise.makeWaiter(), promise.makeWaiter())
    let others = promise.map(on: .inline) { $0 }

    leaves.leave()
    await #expect(throws: CancellationError.self) { try await leaves.value() }
    let task = Task { try await stays.value() }
    resolver.fulfill(1)

    #expect(try await task.value == 1)
    #expect(others.fulfilledValue == 1)
  }

  @Test func `a waiter counts before its task waits`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let waiter = promise.makeWaiter()

    promise.map(on: .inline) { $0 }.cancel()
    #expect(resolver.isPending)
    resolver.fulfill(1)

    #expect(try await waiter.value() == 1)
  }

  @Test func `a waiter whose task never comes leaves the order of the handlers as it is`() {
    let executor = ManualExecutor()
    let log = Log<Int>()
    let (promise, resolver) = Promise<Int>.pending()
    _ = promise.makeWaiter()
    for index in 0..<2 { promise.observe(on: executor) { _ in log.add(index) } }

    resolver.fulfill(1)
    promise.observe(on: executor) { _ in log.add(2) }
    #expect(executor.hops == 1)
    executor.drain()

    #expect(log.entries == [0, 1, 2])
  }
}
