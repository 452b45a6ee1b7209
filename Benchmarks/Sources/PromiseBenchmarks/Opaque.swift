import NIOCore
import OpenCombine
import PromiseModule

// Making and resolving happen behind calls that the optimiser can't look into. In a program they are
// far apart; side by side, it would put a promise on the stack and measure a fiction.

@inline(never)
func makePromise() -> (promise: Promise<Int>, resolver: Promise<Int>.Resolver) {
  Promise.pending()
}

@inline(never)
func resolve(_ resolver: Promise<Int>.Resolver, _ value: Int) {
  resolver.fulfill(value)
}

@inline(never)
func makePromise(on loop: any EventLoop) -> EventLoopPromise<Int> {
  loop.makePromise(of: Int.self)
}

@inline(never)
func resolve(_ promise: EventLoopPromise<Int>, _ value: Int) {
  promise.succeed(value)
}

typealias FutureInt = Future<Int, any Error>

/// A future, and the closure that resolves it.
struct MadeFuture {
  let future: FutureInt
  let promise: FutureInt.Promise
}

@inline(never)
func makeFuture() -> MadeFuture {
  var promise: FutureInt.Promise = { _ in }
  let future = FutureInt { promise = $0 }
  return MadeFuture(future: future, promise: promise)
}

@inline(never)
func resolve(_ made: MadeFuture, _ value: Int) {
  made.promise(.success(value))
}
