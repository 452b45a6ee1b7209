import PromiseModule
import Synchronization

/// Where a promise that a task is about to await leaves its resolver.
final class ResolverSlot: Sendable {
  private let waiting = Mutex<Promise<Int>.Resolver?>(nil)

  func makePromise() -> Promise<Int> {
    let (promise, resolver) = PromiseBenchmarks.makePromise()
    waiting.withLock { $0 = resolver }
    return promise
  }

  func fulfill() {
    let resolver = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    if let resolver { resolve(resolver, 1) }
  }
}
