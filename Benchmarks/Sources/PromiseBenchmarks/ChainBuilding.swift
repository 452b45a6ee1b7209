import Measuring
import NIOCore
import PromiseModule

@inline(never)
func runChain(
  of links: Int, on executor: some PromiseExecutor, _ end: @escaping @Sendable (Int) -> Void
) {
  let (promise, resolver) = makePromise()
  var last = promise
  for _ in 0..<links { last = last.map(on: executor) { $0 &+ 1 } }
  last.observe(on: executor) { result in
    if case .success(let value) = result { end(value) }
  }
  resolve(resolver, 1)
}

@inline(never)
func runChain(of links: Int, loop: any EventLoop, _ end: @escaping @Sendable (Int) -> Void) {
  let promise = makePromise(on: loop)
  var last = promise.futureResult
  for _ in 0..<links { last = last.map { $0 &+ 1 } }
  last.whenSuccess(end)
  resolve(promise, 1)
}

@inline(never)
func makeTaskChain(of links: Int) -> Task<Int, Never> {
  var last = Task { 1 }
  for _ in 0..<links {
    let previous = last
    last = Task { await previous.value &+ 1 }
  }
  return last
}

/// The same with a closure that captures.
@inline(never)
func runCapturingChain(of links: Int, _ end: @escaping @Sendable (Int) -> Void) {
  let (promise, resolver) = makePromise()
  var last = promise
  for number in 0..<links { last = last.map(on: .inline) { $0 &+ number } }
  last.observe(on: .inline) { result in
    if case .success(let value) = result { end(value) }
  }
  resolve(resolver, 1)
}

@inline(never)
func runCapturingChain(
  of links: Int, loop: any EventLoop, _ end: @escaping @Sendable (Int) -> Void
) {
  let promise = makePromise(on: loop)
  var last = promise.futureResult
  for number in 0..<links { last = last.map { $0 &+ number } }
  last.whenSuccess(end)
  resolve(promise, 1)
}
