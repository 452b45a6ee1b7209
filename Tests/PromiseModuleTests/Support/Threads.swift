import Dispatch
import Foundation

/// Runs a closure on this many threads at the same time, and waits for them.
func threads(_ count: Int, stack: Int = 1 << 19, _ body: @escaping @Sendable (Int) -> Void) {
  let gate = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  for index in 0..<count {
    group.enter()
    let thread = Thread {
      gate.wait()
      body(index)
      group.leave()
    }
    thread.stackSize = stack
    thread.start()
  }
  for _ in 0..<count { gate.signal() }
  group.wait()
}
