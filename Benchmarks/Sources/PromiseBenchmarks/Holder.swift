import Measuring
import PromiseModule

/// A place for the resolver of a promise that waits.
final class Holder {
  private var resolver: Promise<Int>.Resolver?

  @inline(never)
  func fill() {
    let (promise, resolver) = makePromise()
    promise.observe(on: .inline) { blackHole($0) }
    self.resolver = resolver
  }
}
