import Dispatch
import PromiseModule
import Synchronization
import Testing

@Suite struct CancelTests {
  @Test func `cancelling settles at once and stops the work`() {
    let stopped = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()
    resolver.onCancel { stopped.add("stopped") }

    #expect(promise.cancel())

    #expect(promise.rejection is CancellationError)
    #expect(stopped.entries == ["stopped"])
    #expect(!resolver.fulfill(1))
    resolver.onCancel { stopped.add("late") }
    #expect(stopped.entries == ["stopped", "late"])
  }

  @Test func `cancelling cancels a work item and a dispatch source`() {
    let (promise, resolver) = Promise<Int>.pending()
    let item = DispatchWorkItem {}
    let timer = DispatchSource.makeTimerSource()
    timer.activate()

    resolver.onCancel(item)
    resolver.onCancel(timer)
    #expect(!item.isCancelled && !timer.isCancelled)
    promise.cancel()

    #expect(item.isCancelled && timer.isCancelled)
  }

  @Test func `a settled promise frees its cancel closures without calling them`() {
    let stopped = Log<Int>()
    let (promise, resolver) = Promise<Int>.pending()
    weak var token: Log<Int>?
    do {
      let held = Log<Int>()
      token = held
      resolver.onCancel {
        held.add(1)
        stopped.add(1)
      }
    }

    resolver.fulfill(1)
    promise.cancel()

    #expect(stopped.entries.isEmpty)
    #expect(token == nil)
  }

  @Test(.timeLimit(.minutes(15)))
  func `the cost of a cancel closure doesn't grow with their number`() {
    let called = Atomic(0)
    let (promise, resolver) = Promise<Int>.pending()

    for _ in 0..<100_000 { resolver.onCancel { called.add(1, ordering: .relaxed) } }
    promise.cancel()

    #expect(called.load(ordering: .relaxed) == 100_000)
  }

  @Test func `a promise that is rejected with a CancellationError wasn't cancelled`() {
    let stopped = Log<Int>()
    let (_, resolver) = Promise<Int>.pending()
    resolver.onCancel { stopped.add(1) }

    resolver.reject(CancellationError())
    resolver.onCancel { stopped.add(2) }

    #expect(stopped.entries.isEmpty)
  }

  @Test func `a shielded promise has the same outcome, and cancelling it cancels nothing else`() {
    let (promise, resolver) = Promise<Int>.pending()
    let (shielded, cancelled) = (promise.shielded(), promise.shielded())

    cancelled.cancel()
    #expect(cancelled.rejection is CancellationError)
    #expect(resolver.isPending)
    resolver.fulfill(1)

    #expect(shielded.fulfilledValue == 1)
    #expect(Promise<Int>.rejected(Oops()).shielded().rejection is Oops)
  }

  @Test func `races, combinations and timeouts don't cancel a shielded promise`() async {
    let clock = ManualClock()
    let (kept, keptResolver) = Promise<Int>.pending()

    _ = Promise.race(kept.shielded(), .fulfilled(1))
    _ = Promise.all(kept.shielded(), Promise<Int>.rejected(Oops()))
    kept.shielded().timeout(after: .seconds(1), clock: clock).cancel()
    #expect(keptResolver.isPending)
    _ = Promise.race(kept, .fulfilled(1))

    #expect(kept.rejection is CancellationError)
  }

  @Test func `cancelling below a shielded promise stops at the shield`() {
    let (promise, resolver) = Promise<Int>.pending()
    let shielded = promise.shielded()

    shielded.map(on: .inline) { $0 }.cancel()

    #expect(shielded.rejection is CancellationError)
    #expect(resolver.isPending)
  }

  @Test func `cancelled shields keep nothing alive`() {
    let census = Census()
    let (promise, resolver) = Promise<Int>.pending()

    for _ in 0..<1_000 {
      let citizen = census.makeCitizen()
      promise.shielded().map(on: .inline) { _ in withExtendedLifetime(citizen) {} }.cancel()
    }

    #expect(census.living == 0)
    #expect(resolver.isPending)
  }

  @Test func `a parent is cancelled when its last child is cancelled`() {
    let (parent, resolver) = Promise<Int>.pending()
    let children = (0..<3).map { index in parent.map(on: .inline) { $0 + index } }

    children[0].cancel()
    children[1].cancel()
    #expect(!parent.isSettled)

    children[2].cancel()
    #expect(parent.rejection is CancellationError)
    #expect(!resolver.isPending)
  }

  @Test func `the remaining children get the value`() {
    let log = Log<String>()
    let (parent, resolver) = Promise<Int>.pending()
    let left = parent.map(on: .inline) { _ in log.add("left") }
    let stays = parent.map(on: .inline) { _ in log.add("stays") }

    left.cancel()
    resolver.fulfill(1)

    #expect(log.entries == ["stays"])
    #expect(stays.isSettled)
  }

  @Test func `a cancelled chain runs its catch and finally closures only`() {
    let log = Log<String>()
    let (source, resolver) = Promise<Int>.pending()
    let tail =
      source
      .map(on: .inline) { _ in log.add("map") }
      .recover(on: .inline) { _ in log.add("recover") }
      .catch(on: .inline) { log.add("catch \($0 is CancellationError)") }
      .finally(on: .inline) { log.add("finally") }
      .done(on: .inline) { _ in log.add("done") }

    tail.cancel()

    #expect(log.entries.sorted() == ["catch true", "finally"])
    #expect(!resolver.isPending)
  }

  @Test func `cancelling reaches the promise that a closure of then has returned`() {
    let (inner, resolver) = Promise<Int>.pending()
    let outer = Promise.fulfilled(1).then(on: .inline) { _ in inner }

    outer.cancel()

    #expect(inner.rejection is CancellationError)
    #expect(!resolver.isPending)
  }

  @Test func `a promise that a closure returns for a cancelled child is cancelled`() {
    let (inner, _keep) = Promise<Int>.pending()
    let child = Mutex<Promise<Int>?>(nil)
    let (source, resolver) = Promise<Int>.pending()
    let outer = source.then(on: .inline) { _ in
      child.withLock { $0 }?.cancel()
      return inner
    }
    child.withLock { $0 = outer }

    resolver.fulfill(1)

    #expect(inner.rejection is CancellationError)
    #expect(!_keep.isPending)
  }

  @Test(.timeLimit(.minutes(10)))
  func `cancelling the promise cancels the task behind it`() async throws {
    let (started, startedResolver) = Promise<Void>.pending()
    let (ended, endedResolver) = Promise<Bool>.pending()
    let promise = Promise<Int> {
      startedResolver.fulfill()
      while !Task.isCancelled { await Task.yield() }
      endedResolver.fulfill(Task.isCancelled)
      return 1
    }

    try await started.get()
    promise.cancel()

    #expect(promise.rejection is CancellationError)
    #expect(try await ended.get())
  }

  @Test(.timeLimit(.minutes(10)))
  func `a cancelled task stops waiting and gives up its interest`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let task = Task { try await promise.get() }

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: CancellationError.self) { try await promise.get() }
    #expect(!resolver.isPending)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a cancelled task doesn't disturb the other waiting tasks`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let stays = promise.map(on: .inline) { $0 }
    let leaves = Task { try await promise.get() }

    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    resolver.fulfill(1)

    #expect(stays.fulfilledValue == 1)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a cancelled task gets the outcome of a settled promise`() async throws {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await Promise.fulfilled(1).get()
    }

    task.cancel()

    #expect(try await task.value == 1)
  }
}
