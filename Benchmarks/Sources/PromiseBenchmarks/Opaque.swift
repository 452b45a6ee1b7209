import NIOCore
import PromiseModule

// Making and resolving happen behind calls that the optimiser can't look into. In a program they
// are far apart; side by side, it would put a promise on the stack and measure a fiction.

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
