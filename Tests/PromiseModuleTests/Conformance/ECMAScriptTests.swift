import PromiseModule
import TestSupport
import Testing

/// ECMAScript's `all`, `allSettled`, `any`, `race`, `finally` and `withResolvers`, where they don't
/// depend on that language.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ECMAScriptTests {
  @Test(arguments: Timing.allCases)
  func `all keeps the order of the inputs, whichever settles first`(timing: Timing) async throws {
    let (slow, resolver) = Promise<Int>.pending()

    let all = timing.fulfill(2) { Promise.all([slow, $0, .fulfilled(3)]) }
    resolver.fulfill(1)

    #expect(try await all.get() == [1, 2, 3])
  }

  @Test(arguments: Timing.allCases)
  func `all is rejected with the first reason`(timing: Timing) async {
    let (pending, resolver) = Promise<Int>.pending()

    let all = timing.reject(Oops(number: 1)) { Promise.all([pending, $0]) }

    await #expect(throws: Oops(number: 1)) { try await all.get() }
    #expect(!resolver.isPending)
  }

  @Test(arguments: Timing.allCases)
  func `allSettled waits for all and is fulfilled`(timing: Timing) async throws {
    let settled = timing.reject(Oops(number: 1)) { Promise.settled([$0, .fulfilled(2)]) }

    let results = try await settled.get()

    #expect(throws: Oops(number: 1)) { try results[0].get() }
    #expect(try results[1].get() == 2)
  }

  @Test(arguments: Timing.allCases)
  func `any takes the first value and skips reasons`(timing: Timing) async throws {
    let (pending, resolver) = Promise<Int>.pending()

    let any = timing.fulfill(1) { Promise.any([.rejected(Oops()), $0, pending]) }

    #expect(try await any.get() == 1)
    #expect(!resolver.isPending)
  }

  @Test(arguments: Timing.allCases)
  func `any without a value keeps every reason in the order of the inputs`(
    timing: Timing
  ) async {
    let any = timing.reject(Oops(number: 1)) { first in
      Promise.any([first, .rejected(Oops(number: 2))])
    }

    let error = await #expect(throws: AggregateError.self) { try await any.get() }
    #expect(error?.errors.compactMap { $0 as? Oops } == [Oops(number: 1), Oops(number: 2)])
  }

  @Test(arguments: Timing.allCases)
  func `race takes the first outcome of either kind`(timing: Timing) async throws {
    // A pair for each race, because a race cancels its losers when it ends.
    let (one, oneResolver) = Promise<Int>.pending()
    let (two, twoResolver) = Promise<Int>.pending()

    let won = timing.fulfill(1) { Promise.race([one.map { $0 }, $0]) }
    let lost = timing.reject(Oops()) { Promise.race([two.map { $0 }, $0]) }

    #expect(try await won.get() == 1)
    await #expect(throws: Oops.self) { try await lost.get() }
    withExtendedLifetime((oneResolver, twoResolver)) {}
  }

  @Test func `combinations of nothing are defined`() async throws {
    #expect(Promise.all([Promise<Int>]()).fulfilledValue == [])
    #expect(Promise.settled([Promise<Int>]()).fulfilledValue?.count == 0)
    #expect((Promise<Int>.any([]).rejection as? AggregateError)?.errors.count == 0)
    #expect((Promise<Int>.race([]).rejection as? AggregateError)?.errors.count == 0)
  }

  @Test(arguments: Timing.allCases, Place.allCases)
  func `finally passes value and reason, and a throw replaces them`(
    timing: Timing, place: Place
  ) async throws {
    let value = timing.fulfill(1) { $0.finally(at: place) {} }
    let reason = timing.reject(Oops(number: 1)) { $0.finally(at: place) {} }
    let replaced = timing.fulfill(1) { $0.finally(at: place) { throw Oops(number: 2) } }

    #expect(try await value.get() == 1)
    await #expect(throws: Oops(number: 1)) { try await reason.get() }
    await #expect(throws: Oops(number: 2)) { try await replaced.get() }
  }

  @Test func `pending returns a promise and its resolver, as withResolvers does`() {
    let (promise, resolver) = Promise<String>.pending()

    resolver.fulfill("now")

    #expect(promise.fulfilledValue == "now")
  }
}
