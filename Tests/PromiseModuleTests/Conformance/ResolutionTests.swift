import PromiseModule
import Synchronization
import TestSupport
import Testing

/// Promises/A+ 2.3: the resolution procedure, without foreign thenables.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ResolutionTests {
  @Test(arguments: Place.allCases)
  func `2.3.1 a promise that resolves to itself is rejected`(place: Place) async {
    let own = Mutex<Promise<Int>?>(nil)
    let (source, resolver) = Promise<Int>.pending()
    let promise = source.then(at: place) { _ in own.withLock { $0 } ?? .fulfilled(0) }
    own.withLock { $0 = promise }

    resolver.fulfill(1)

    await #expect(throws: SelfResolution.self) { try await promise.get() }
    own.withLock { $0 = nil }
  }

  @Test(arguments: Place.allCases)
  func `2.3.2.1 a promise is pending while the one it follows is pending`(place: Place) async throws
  {
    let (inner, resolver) = Promise<Int>.pending()
    let (entered, entry) = Promise<Void>.pending()
    let outer = Promise.fulfilled(1).then(at: place) { _ in
      entry.fulfill()
      return inner
    }

    try await entered.get()
    #expect(!outer.isSettled)
    resolver.fulfill(2)

    #expect(try await outer.get() == 2)
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.3.2.2 a promise takes over the value of the one it follows`(
    timing: Timing, place: Place
  ) async throws {
    let outer = timing.fulfill(5) { inner in Promise.fulfilled(1).then(at: place) { _ in inner } }

    #expect(try await outer.get() == 5)
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `2.3.2.3 a promise takes over the reason of the one it follows`(
    timing: Timing, place: Place
  ) async {
    let outer = timing.reject(Oops(number: 5)) { inner in
      Promise.fulfilled(1).then(at: place) { _ in inner }
    }

    await #expect(throws: Oops(number: 5)) { try await outer.get() }
  }

  @Test(arguments: Timing.allCases)
  func `2.3.3.3.1 and 2.3.3.3.2 a resolver passes on a value and an error`(
    timing: Timing
  ) async throws {
    let follows = timing.fulfill(6) { inner in Promise<Int> { $0.resolve(with: inner) } }
    let fails = timing.reject(Oops()) { inner in Promise<Int> { $0.resolve(with: inner) } }

    #expect(try await follows.get() == 6)
    await #expect(throws: Oops.self) { try await fails.get() }
  }

  @Test(arguments: Timing.allCases)
  func `2.3.3.3.3 the first call to a resolver counts, even with a pending promise`(
    timing: Timing
  ) async throws {
    let followed = timing.fulfill(1) { inner in
      Promise<Int> { resolver in
        resolver.resolve(with: inner)
        resolver.fulfill(2)
        resolver.reject(Oops())
        resolver.resolve(with: .fulfilled(3))
      }
    }
    let fulfilled = timing.fulfill(1) { inner in
      Promise<Int> { resolver in
        resolver.fulfill(2)
        resolver.resolve(with: inner)
      }
    }

    #expect(try await followed.get() == 1)
    #expect(try await fulfilled.get() == 2)
  }

  @Test(arguments: Timing.allCases)
  func `2.3.3.3.4.1 an error after the call to a resolver is ignored`(
    timing: Timing
  ) async throws {
    let promise = timing.fulfill(1) { inner in
      Promise<Int> { resolver in
        resolver.resolve(with: inner)
        throw Oops()
      }
    }

    #expect(try await promise.get() == 1)
  }

  @Test func `2.3.3.3.4.2 an error before any call to a resolver rejects`() async {
    let promise = Promise<Int> { resolver in
      if resolver.isPending { throw Oops(number: 1) }
      resolver.fulfill(1)
    }

    await #expect(throws: Oops(number: 1)) { try await promise.get() }
  }

  @Test(arguments: Place.allCases)
  func `2.3.4 a plain value fulfils`(place: Place) async throws {
    #expect(try await Promise.fulfilled(1).map(at: place) { $0 + 1 }.get() == 2)
  }
}
