import CAllocations
import Foundation
import ResourceLoading
import ResourceState

/// What live resources cost: an observer of a value that is there, and the memory of one resource
/// beside its value.
///
/// A program of its own, since live resources need the main actor, for which the other programs'
/// main thread has no time. It prints a figure for each size and ends with status 1 when one is
/// above its goal.
@main
@MainActor
struct StateBenchmarks {
  static func main() async {
    let isMet = [await observers(), await memory()]
    exit(isMet.allSatisfy(\.self) ? 0 : 1)
  }

  /// An observer begins, and is told the present value. In processor time, since other programs may
  /// run; the request is made before, since making it is none of the observer's work.
  private static func observers() async -> Bool {
    let count = 10_000
    let number = Resource.number(1)
    var best = Duration.seconds(1000)
    for _ in 0..<5 {
      let live = LiveResources(Nothing())
      var options = LiveOptions()
      options.freshness = .untilInvalidated
      let resource = live.resource(number, options: options)
      resource.set(1)
      let told = Count()
      let start = clock()
      var observations: [LiveObservation] = []
      observations.reserveCapacity(count)
      for _ in 0..<count {
        observations.append(live.observe(number) { _ in told.count += 1 })
      }
      while told.count < count { await Task.yield() }
      let ticks = Double(clock() - start)
      best = min(best, .seconds(ticks / Double(CLOCKS_PER_SEC)))
      for observation in observations.reversed() { observation.cancel() }
      withExtendedLifetime(resource) {}
    }
    let each = best / count
    print("state-observer: \(each) for each of \(count) observers of a value, at most 2 µs")
    return each <= .microseconds(2)
  }

  /// Resources that somebody holds, each with a value of a few bytes.
  private static func memory() async -> Bool {
    var isMet = true
    for count in [100, 1000, 10_000] {
      let live = LiveResources(Nothing())
      var held: [LiveResource<Int>] = []
      held.reserveCapacity(count)
      allocations_begin()
      for number in 0..<count {
        let resource = live.resource(.number(number))
        resource.set(number)
        held.append(resource)
      }
      let each = allocations_end().live / count
      print("state-memory: \(each) bytes for each of \(count) live resources, at most 2048")
      isMet = isMet && each <= 2048
      withExtendedLifetime(held) {}
    }
    return isMet
  }
}

@MainActor
private final class Count {
  var count = 0
}

/// A loader that is never asked.
private struct Nothing: Loader {
  func load<R>(_ resource: Resource<R>) async throws -> R { throw CancellationError() }
}

extension Resource where R == Int {
  fileprivate static func number(_ number: Int) -> Self {
    Resource(.get("/numbers/\(number)")) { _ in number }
  }
}
