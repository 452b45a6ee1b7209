import PromiseModule
import TestSupport
import Testing

/// Whatever a promise holds is freed once, as soon as it is no longer needed.
@Suite(.inTurn)
struct LifetimeTests {
  /// Larger than the inline storage of an existential.
  struct Large: Sendable {
    let citizen: Census.Citizen
    let numbers: (Int, Int, Int, Int)
  }

  /// As large as the inline storage, with a stricter alignment.
  struct Aligned: Sendable {
    let lanes: SIMD4<Float>
  }

  @Test func `a promise keeps an object that is its value alive`() {
    let census = Census()

    do {
      let promise = Promise.fulfilled(census.makeCitizen())
      #expect(census.living == 1)
      #expect((try? promise.result?.get()) != nil)
    }

    #expect(census.living == 0)
  }

  @Test func `a large value arrives intact and is freed once`() throws {
    let census = Census()

    do {
      let (promise, resolver) = Promise<Large>.pending()
      resolver.fulfill(Large(citizen: census.makeCitizen(), numbers: (1, 2, 3, 4)))
      let value = try #require(try promise.result?.get())
      #expect(value.numbers == (1, 2, 3, 4))
      #expect(census.living == 1)
    }

    #expect(census.living == 0)
  }

  @Test func `values of every memory layout arrive`() {
    let text = String(repeating: "long ", count: 20)

    #expect(Promise.fulfilled(text).fulfilledValue == text)
    #expect(Promise.fulfilled("short").fulfilledValue == "short")
    #expect(Promise.fulfilled(Int?.none).fulfilledValue == .some(nil))
    #expect(Promise.fulfilled([1, 2]).map(on: .inline) { $0 + [3] }.fulfilledValue == [1, 2, 3])
    #expect(Promise.fulfilled(true).fulfilledValue == true)
    #expect(Promise.fulfilled(Aligned(lanes: [1, 2, 3, 4])).fulfilledValue?.lanes == [1, 2, 3, 4])
    #expect(Promise.fulfilled().fulfilledValue != nil)
  }

  @Test func `a closure of map is freed when it has run`() {
    let census = Census()
    let (promise, resolver) = Promise<Int>.pending()
    let mapped = mapping(promise, census)
    #expect(census.living == 1)

    resolver.fulfill(1)

    #expect(census.living == 0)
    #expect(mapped.fulfilledValue == 2)
  }

  @Test func `a closure of map is freed when its promise is cancelled, and doesn't run`() {
    let census = Census()
    let (promise, resolver) = Promise<Int>.pending()
    let other = promise.map(on: .inline) { $0 }
    let mapped = mapping(promise, census)

    mapped.cancel()

    #expect(census.living == 0)
    #expect(other.result == nil)
    resolver.fulfill(1)
    #expect(other.fulfilledValue == 1)
    #expect(mapped.rejection is CancellationError)
  }

  @Test func `a closure of map is freed when its parent is rejected`() {
    let census = Census()
    let (promise, resolver) = Promise<Int>.pending()
    let mapped = mapping(promise, census)

    resolver.reject(Oops(number: 1))

    #expect(census.living == 0)
    #expect(mapped.rejection is Oops)
  }

  @Test func `an observer is freed when it has run, alone and among others`() {
    let census = Census()
    let log = Log<Int>()
    let (alone, first) = Promise<Int>.pending()
    let (crowded, second) = Promise<Int>.pending()
    observing(alone, census, log)
    for _ in 1...3 { observing(crowded, census, log) }
    #expect(census.living == 4)

    first.fulfill(1)
    second.fulfill(2)

    #expect(census.living == 0)
    #expect(log.entries == [1, 2, 2, 2])
  }

  @Test func `promises that are never resolved are freed with everything they hold`() {
    let census = Census()

    do {
      let (promise, resolver) = Promise<Int>.pending()
      let mapped = mapping(mapping(promise, census), census)
      _ = Promise.all([promise, mapped])
      withExtendedLifetime(resolver) { #expect(census.living == 2) }
    }

    #expect(census.living == 0)
  }

  private func mapping(_ promise: Promise<Int>, _ census: Census) -> Promise<Int> {
    let citizen = census.makeCitizen()
    return promise.map(on: .inline) { value in withExtendedLifetime(citizen) { value + 1 } }
  }

  private func observing(_ promise: Promise<Int>, _ census: Census, _ log: Log<Int>) {
    let citizen = census.makeCitizen()
    promise.observe(on: .inline) { result in
      withExtendedLifetime(citizen) { log.add((try? result.get()) ?? 0) }
    }
  }

  /// An executor that uses a promise in its deinit, as a user's may.
  private final class Asking: PromiseExecutor {
    private let promise: Promise<Int>
    private let isGone: Log<Bool>

    init(_ promise: Promise<Int>, _ isGone: Log<Bool>) {
      self.promise = promise
      self.isGone = isGone
    }

    func schedule(_ job: @escaping @Sendable () -> Void) { job() }
    deinit { isGone.add(promise.isSettled) }
  }

  @Test(arguments: [0, 1, 2])
  func `an executor that is freed with its handler may use the promise`(others: Int) {
    let isGone = Log<Bool>()
    let (promise, resolver) = Promise<Int>.pending()
    let waiting = (0..<others).map { _ in promise.map(on: .inline) { $0 } }

    let left = promise.map(on: Asking(promise, isGone)) { $0 }
    promise.observe(on: .inline) { _ in }
    left.cancel()
    #expect(isGone.entries == [false])
    promise.finally(on: Asking(promise, isGone)) {}
    resolver.fulfill(1)

    #expect(isGone.entries == [false, true])
    #expect(waiting.allSatisfy { $0.isSettled })
  }

  @Test func `an executor that is freed after its handler has run may use the promise`() {
    let isGone = Log<Bool>()
    let (promise, resolver) = Promise<Int>.pending()

    promise.finally(on: Asking(promise, isGone)) {}
    promise.observe(on: .inline) { _ in }
    resolver.fulfill(1)

    #expect(isGone.entries == [true])
  }
}
