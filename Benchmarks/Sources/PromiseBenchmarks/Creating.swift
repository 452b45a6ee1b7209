import Dispatch
import Measuring
import NIOCore
import PromiseModule
import Rows

/// One promise, one handler, one value.
func registerCreating() {
  registerCreatingInline()
  registerCreatingWithHop()
}

private func registerCreatingInline() {
  Row.createInline.register(.ours) { create($0) }
  Row.createInline.register(.nio) { count in Loop.run { create(count, on: $0) } }
  Row.createInline.registerAsync(.task) { count in
    for number in 0..<count { blackHole(await Task { number }.value) }
  }
  Row.createInline.registerAsync(.continuation) { count in
    for number in 0..<count {
      blackHole(await withCheckedContinuation { $0.resume(returning: number) })
    }
  }
}

@inline(never)
func create(_ count: Int) {
  for number in 0..<count {
    let (promise, resolver) = makePromise()
    promise.observe(on: .inline) { blackHole($0) }
    resolve(resolver, number)
  }
}

@inline(never)
func create(_ count: Int, on loop: any EventLoop) {
  for number in 0..<count {
    let promise = makePromise(on: loop)
    promise.futureResult.whenComplete { blackHole($0) }
    resolve(promise, number)
  }
}

/// Many at once, so that it is the work of a hop that counts and not the waiting for it.
private func registerCreatingWithHop() {
  Row.createDefault.register(.ours) { count in
    let countdown = Countdown(count)
    for number in 0..<count {
      let (promise, resolver) = makePromise()
      promise.observe { _ in countdown.tick() }
      resolve(resolver, number)
    }
    countdown.wait()
  }
  Row.createDefault.register(.nio) { count in
    let countdown = Countdown(count)
    for number in 0..<count {
      let promise = makePromise(on: Loop.shared)
      promise.futureResult.whenComplete { _ in countdown.tick() }
      resolve(promise, number)
    }
    countdown.wait()
  }
  Row.createDefault.register(.dispatch) { count in
    let countdown = Countdown(count)
    for _ in 0..<count { DispatchQueue.global().async { countdown.tick() } }
    countdown.wait()
  }
  Row.createDefault.register(.task) { count in
    let countdown = Countdown(count)
    for _ in 0..<count { Task { countdown.tick() } }
    countdown.wait()
  }
}
