import PromiseModule
import TestSupport
import Testing

/// Promises/A+ 2.1: the states.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct StatesTests {
  @Test func `2.1.1 a pending promise may become fulfilled or rejected`() {
    let (first, firstResolver) = Promise<Int>.pending()
    let (second, secondResolver) = Promise<Int>.pending()
    #expect(first.result == nil)

    firstResolver.fulfill(1)
    secondResolver.reject(Oops())

    #expect(first.fulfilledValue == 1)
    #expect(second.rejection is Oops)
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.1.2 a fulfilled promise keeps its state and value`(
    timing: Timing, place: Place
  ) async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let rejected = Log<Int>()
    let seen = timing.fulfill(1) { source in
      source.map(at: place) { value in
        resolver.fulfill(value)
        resolver.reject(Oops())
        resolver.fulfill(2)
      }
    }
    let watched = promise.recover(at: place) { _ in
      rejected.add(1)
      return 0
    }

    try await seen.get()
    #expect(try await watched.get() == 1)
    #expect(promise.fulfilledValue == 1)
    #expect(rejected.entries.isEmpty)
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.1.3 a rejected promise keeps its state and reason`(
    timing: Timing, place: Place
  ) async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let fulfilled = Log<Int>()
    let seen = timing.fulfill(1) { source in
      source.map(at: place) { _ in
        resolver.reject(Oops(number: 1))
        resolver.fulfill(1)
        resolver.reject(Oops(number: 2))
      }
    }
    let watched = promise.map(at: place) { fulfilled.add($0) }

    try await seen.get()
    await #expect(throws: Oops(number: 1)) { try await watched.get() }
    #expect(promise.rejection as? Oops == Oops(number: 1))
    #expect(fulfilled.entries.isEmpty)
  }
}
