import Dispatch
import Synchronization

/// Keeps this thread until something asynchronous is done.
func waiting<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
  let done = DispatchSemaphore(value: 0)
  let result = Mutex<Value?>(nil)
  Task.detached {
    let value = await body()
    result.withLock { $0 = value }
    done.signal()
  }
  done.wait()
  guard let value = result.withLock({ $0 }) else { preconditionFailure("nothing came back") }
  return value
}
