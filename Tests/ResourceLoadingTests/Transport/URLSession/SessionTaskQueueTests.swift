import Synchronization
import Testing

@testable import ResourceLoading

@Suite struct SessionTaskQueueTests {
  @Test func `the first caller drains the queue, and the others leave it to that one`() {
    var queue = SessionTaskQueueState()

    let drains = (0..<3).map { _ in queue.append {} }

    #expect(drains == [true, false, false])
  }

  @Test func `what is in the queue is taken out in order, and what comes meanwhile the next time`()
  {
    var queue = SessionTaskQueueState()
    let calls = Mutex<[Int]>([])
    func append(_ number: Int) { _ = queue.append { calls.withLock { $0.append(number) } } }
    append(1)
    append(2)

    let first = queue.takeAll()
    append(3)
    for body in first + queue.takeAll() { body() }

    #expect(first.count == 2)
    #expect(calls.withLock(\.self) == [1, 2, 3])
  }

  @Test func `the next caller drains the queue once it was found empty`() {
    var queue = SessionTaskQueueState()
    _ = queue.append {}
    _ = queue.takeAll()

    let isStillDraining = !queue.append {}
    _ = queue.takeAll()
    let isEmpty = queue.takeAll().isEmpty

    #expect(isStillDraining)
    #expect(isEmpty)
    #expect(queue.append {} == true)
  }
}
