import Synchronization

package final class Counter: Sendable {
  private let count = Mutex(0)

  package init() {}

  package var value: Int { count.withLock(\.self) }

  @discardableResult
  package func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}

/// A value that a test changes while other threads read it.
package final class Shared<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  package init(_ value: Value) { state = Mutex(value) }

  package var value: Value {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }

  package func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}
