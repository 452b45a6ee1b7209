import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.timeLimit(.minutes(15))) struct SessionTaskQueueTests {
  @Test func `nothing runs on the caller's thread while the queue is blocked`()
    async throws
  {
    let (held, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let calls = Mutex<[Int]>([])

    // On the caller's thread, the first would wait for the second.
    SessionTaskQueue.run { held.wait() }
    for number in 1...3 { SessionTaskQueue.run { calls.withLock { $0.append(number) } } }
    SessionTaskQueue.run { done.signal() }
    let before = calls.withLock(\.self)
    held.signal()
    await Task.detached { done.waitForSignal() }.value

    #expect(before.isEmpty)
    #expect(calls.withLock(\.self) == [1, 2, 3])
  }
}

extension DispatchSemaphore {
  fileprivate func waitForSignal() { wait() }
}
