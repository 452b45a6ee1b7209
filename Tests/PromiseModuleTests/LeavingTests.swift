import Dispatch
import PromiseModule
import Synchronization
import Testing

/// What becomes of handlers that leave a promise on which others wait.
@Suite(.timeLimit(.minutes(15))) struct LeavingTests {
  @MainActor
  @Test func `a task that is cancelled is woken although the promise has another handler`() async {
    let (promise, resolver) = Promise<Int>.pending()
    promise.observe(on: .inline) { _ in }
    let task = Task { try await promise.get() }
    // The task runs on the main actor, too, until it waits.
    await Task.yield()

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(resolver.isPending)
  }

  @Test func `a handler that watches a promise runs although all that follow were cancelled`() {
    let log = Log<Int>()
    let (promise, resolver) = Promise<Int>.pending()
    promise.observe(on: .inline) { _ in }
    let watchers = (0..<3).map { number in promise.finally(on: .inline) { log.add(number) } }

    for watcher in watchers { watcher.cancel() }
    resolver.fulfill(1)

    #expect(log.entries == [0, 1, 2])
  }

  @Test func `deeply nested cancel closures leave the promises that theirs follow`() {
    let followed = (0..<100).map { _ in Promise<Int>.pending() }
    var inner: Promise<Int>?
    for (other, _) in followed {
      let (promise, resolver) = Promise<Int>.pending()
      resolver.onCancel { [inner] in inner?.cancel() }
      resolver.resolve(with: other)
      inner = promise
    }

    inner?.cancel()

    for (other, _) in followed { #expect(other.rejection is CancellationError) }
  }

  @Test func `a global queue is one executor, whichever object names it`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let running = Atomic(0)
    let most = Atomic(0)
    var handled: [Promise<Void>] = []
    for _ in 0..<100 {
      let (done, doneResolver) = Promise<Void>.pending()
      promise.observe(on: DispatchQueue.global()) { _ in
        let now = running.add(1, ordering: .relaxed).newValue
        most.max(now, ordering: .relaxed)
        var sum = 0
        for number in 0..<10_000 { sum &+= number }
        running.subtract(sum == 0 ? 2 : 1, ordering: .relaxed)
        doneResolver.fulfill()
      }
      handled.append(done)
    }

    resolver.fulfill(1)
    for done in handled { try await done.get() }

    #expect(most.load(ordering: .relaxed) == 1)
  }
}
