import Dispatch
import Measuring
import PromiseModule
import Rows

/// There and back between threads, one hop after another: the machine's price, and who adds to it.
func registerHops() {
  Row.hop.register(.ours) { count in
    let back = DispatchSemaphore(value: 0)
    for number in 0..<count {
      let (promise, resolver) = makePromise()
      promise.observe { _ in back.signal() }
      resolve(resolver, number)
      back.wait()
    }
  }
  Row.hop.register(.semaphores) { count in
    let responder = Responder.shared
    for _ in 0..<count { responder.roundTrip() }
  }
  Row.hop.register(.dispatch) { count in
    let back = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      DispatchQueue.global().async { back.signal() }
      back.wait()
    }
  }
  Row.hop.register(.nio) { count in
    let back = DispatchSemaphore(value: 0)
    for number in 0..<count {
      let promise = makePromise(on: Loop.shared)
      promise.futureResult.whenComplete { _ in back.signal() }
      resolve(promise, number)
      back.wait()
    }
  }
  Row.hop.register(.task) { count in
    let back = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      Task { back.signal() }
      back.wait()
    }
  }
}
