import Dispatch
import PromiseModule
import TestSupport
import Testing

/// The guarantees about order and about handlers that block.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ExecutorTests {
  /// A semaphore whose wait ends even if the signal never comes.
  private final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func send() { semaphore.signal() }
    func came() -> Bool { semaphore.wait(timeout: .now() + .seconds(300)) == .success }
  }

  @Test func `a blocking handler stops no inline handler of its promise, nor what follows it`()
    async throws
  {
    let signal = Signal()
    let (promise, resolver) = Promise<Int>.pending()
    let (came, cameResolver) = Promise<Bool>.pending()
    let child = promise.map { $0 }
    child.observe { _ in cameResolver.fulfill(signal.came()) }
    child.map(on: .inline) { $0 }.observe { _ in signal.send() }

    resolver.fulfill(1)

    #expect(try await came.get())
  }

  @Test func `a blocking handler stops no other promise's handlers`() async throws {
    let signal = Signal()
    let (promise, resolver) = Promise<Int>.pending()
    let (came, cameResolver) = Promise<Bool>.pending()
    let children = (0..<3).map { _ in promise.map { $0 } }
    children[1].observe { _ in cameResolver.fulfill(signal.came()) }
    children[2].observe { _ in signal.send() }

    resolver.fulfill(1)

    #expect(try await came.get())
  }

  @Test func `a blocking handler stops no handler of its promise on another executor`()
    async throws
  {
    let signal = Signal()
    let queue = DispatchQueue(label: "other")
    let (promise, resolver) = Promise<Int>.pending()
    let (came, cameResolver) = Promise<Bool>.pending()
    promise.observe { _ in cameResolver.fulfill(signal.came()) }
    promise.observe(on: queue) { _ in signal.send() }

    resolver.fulfill(1)

    #expect(try await came.get())
  }

  @Test func `a combination is settled by an input whose handler blocks`() async throws {
    let signal = Signal()
    let (promise, resolver) = Promise<Int>.pending()
    let (came, cameResolver) = Promise<Bool>.pending()
    let child = promise.map { $0 }
    child.observe { _ in cameResolver.fulfill(signal.came()) }
    Promise.all([child, promise]).observe { _ in signal.send() }

    resolver.fulfill(1)

    #expect(try await came.get())
  }

  @Test func `the handlers of a promise run before those of the promises they settle`() {
    let executor = ManualExecutor()
    let log = Log<Int>()
    let (promise, resolver) = Promise<Int>.pending()
    for index in 0..<3 {
      promise.map(on: executor) { _ in log.add(index) }.observe(on: executor) { _ in
        log.add(10 + index)
      }
    }

    resolver.fulfill(1)
    executor.drain()

    #expect(log.entries == [0, 1, 2, 10, 11, 12])
  }

  @Test(arguments: [DispatchQueue.main.label, DispatchQueue.global().label])
  func `a queue with a system queue's label isn't taken for that queue`(label: String) async throws
  {
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: label)
    queue.setSpecific(key: key, value: 7)

    let seen = try await Promise.fulfilled(1).map(on: queue) { _ in
      DispatchQueue.getSpecific(key: key)
    }.get()

    #expect(seen == 7)
  }

  @Test func `a queue that targets a global queue isn't taken for that queue`() async throws {
    let queue = DispatchQueue(label: "targets", target: .global())
    let key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 7)
    let (promise, resolver) = Promise<Int>.pending()
    promise.observe(on: DispatchQueue.global()) { _ in }

    let seen = promise.map(on: queue) { _ in DispatchQueue.getSpecific(key: key) }
    resolver.fulfill(1)

    #expect(try await seen.get() == 7)
  }

  @Test func `a function that calls itself through then needs constant stack`() {
    threads(1) { _ in
      @Sendable func count(_ number: Int) -> Promise<Int> {
        Promise.fulfilled(number).then(on: .inline) { $0 == 0 ? .fulfilled(0) : count($0 - 1) }
      }

      #expect(count(50_000).fulfilledValue == 0)
    }
  }

  @Test
  func
    `inline handlers added inside inline handlers run right after them, in order`()
  {
    let log = Log<String>()

    Promise.fulfilled(1).observe(on: .inline) { _ in
      Promise.fulfilled(2).observe(on: .inline) { _ in log.add("inner") }
      Promise.fulfilled(2).observe(on: .inline) { _ in log.add("last") }
      log.add("outer")
    }

    #expect(log.entries == ["outer", "inner", "last"])
  }

  @Test
  func `inline handlers in a task that an inline handler started don't wait for that handler`() {
    let signal = Signal()
    let came = Log<Bool>()

    threads(1) { _ in
      Promise.fulfilled(1).observe(on: .inline) { _ in
        Task { Promise.fulfilled(2).observe(on: .inline) { _ in signal.send() } }
        came.add(signal.came())
      }
    }

    #expect(came.entries == [true])
  }

  @Test func `a task that an inline handler started runs its own inline handlers`()
    async throws
  {
    let (finished, finish) = Promise<Void>.pending()
    let (seen, see) = Promise<Int>.pending()

    Promise.fulfilled(1).observe(on: .inline) { _ in
      Task {
        try await finished.get()
        Promise.fulfilled(2).observe(on: .inline) { see.resolve($0) }
      }
    }
    finish.fulfill()

    #expect(try await seen.get() == 2)
  }
}
