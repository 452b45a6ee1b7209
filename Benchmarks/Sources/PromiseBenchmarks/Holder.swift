import Measuring
import PromiseModule

/// A place for a promise that waits, with the resolver that no array can hold.
final class Holder {
  private var resolver: Promise<Int>.UniqueResolver?

  @inline(never)
  func fill() {
    let resolver = makeResolver()
    resolver.promise.observe(on: .inline) { blackHole($0) }
    self.resolver = consume resolver
  }
}
