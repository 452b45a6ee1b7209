import PromiseModule
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct CombineTests {
  @Test func `all takes promises of any number and types`() {
    let zero: Promise<()> = Promise.all()
    let one = Promise.all(.fulfilled(1))
    let eight = Promise.all(
      .fulfilled(1), .fulfilled("2"), .fulfilled(3.0), .fulfilled([4]), .fulfilled(true),
      .fulfilled(Int8(6)), .fulfilled(Optional(7)), .fulfilled("8" as Character))

    #expect(zero.isSettled)
    #expect(one.fulfilledValue == 1)
    #expect(eight.fulfilledValue?.1 == "2")
    #expect(eight.fulfilledValue?.7 == "8")
  }

  @Test func `the first failure of a mixed all cancels the rest`() {
    let (first, firstResolver) = Promise<Int>.pending()
    let (second, secondResolver) = Promise<String>.pending()
    let all = Promise.all(first, second)

    secondResolver.reject(Oops())

    #expect(all.rejection is Oops)
    #expect(!firstResolver.isPending)
  }

  @Test func `race and any also take promises as separate arguments`() {
    let (pending, resolver) = Promise<Int>.pending()

    #expect(Promise.any(.rejected(Oops()), .fulfilled(1), pending).fulfilledValue == 1)
    #expect(!resolver.isPending)
    #expect(Promise<Int>.race(.rejected(Oops(number: 1)), .fulfilled(2)).rejection is Oops)
  }

  @Test func `settled takes promises of different types`() {
    let both = Promise.settled(Promise.fulfilled(1), Promise<String>.rejected(Oops()))

    #expect((try? both.fulfilledValue?.0.get()) == 1)
    #expect(throws: Oops.self) { try both.fulfilledValue?.1.get() }
  }

  @Test func `cancelling a combination cancels inputs that nothing else waits for`() {
    let pairs = (0..<3).map { _ in Promise<Int>.pending() }
    let all = Promise.all(pairs.map(\.promise))
    let kept = pairs[1].promise.map(on: .inline) { $0 }

    all.cancel()

    #expect(pairs.map(\.resolver.isPending) == [false, true, false])
    pairs[1].resolver.fulfill(1)
    #expect(kept.fulfilledValue == 1)
  }

  @Test(arguments: [3, 40])
  func `the same promise may be an input more than once`(count: Int) {
    let (promise, resolver) = Promise<Int>.pending()
    let copies = Array(repeating: promise, count: count)
    let cancelled = Promise.all(copies)
    let all = Promise.all(copies)

    cancelled.cancel()
    #expect(resolver.isPending)
    resolver.fulfill(1)

    #expect(all.fulfilledValue == Array(repeating: 1, count: count))

    let (other, otherResolver) = Promise<Int>.pending()
    Promise.all(Array(repeating: other, count: count)).cancel()
    #expect(!otherResolver.isPending)
  }

  @Test func `a bounded map never runs more promises than its limit`() {
    let pairs = (0..<10).map { _ in Promise<Int>.pending() }
    let started = Log<Int>()
    let mapped = Promise.map(0..<10, concurrency: 3, on: .inline) { index in
      started.add(index)
      return pairs[index].promise
    }

    #expect(started.entries == [0, 1, 2])
    pairs[1].resolver.fulfill(10)
    #expect(started.entries == [0, 1, 2, 3])
    for (index, pair) in pairs.enumerated().reversed() where index != 1 {
      pair.resolver.fulfill(index * 10)
    }

    #expect(mapped.fulfilledValue == (0..<10).map { $0 * 10 })
  }

  @Test func `a bounded map stops at the first failure`() {
    let (pending, resolver) = Promise<Int>.pending()
    let started = Log<Int>()

    let mapped = Promise.map(0..<10, concurrency: 2, on: .inline) { index in
      started.add(index)
      if index == 3 { throw Oops(number: 3) }
      return index == 0 ? pending : .fulfilled(index)
    }

    #expect(mapped.rejection as? Oops == Oops(number: 3))
    #expect(started.entries == [0, 1, 2, 3])
    #expect(!resolver.isPending)
  }

  @Test func `a bounded map collects every failure under the rule collect`() {
    let mapped = Promise.map(0..<5, concurrency: 2, onFailure: .collect, on: .inline) { index in
      if index.isMultiple(of: 2) { throw Oops(number: index) }
      return .fulfilled(index)
    }

    let errors = (mapped.rejection as? AggregateError)?.errors
    #expect(errors?.compactMap { ($0 as? Oops)?.number } == [0, 2, 4])
  }

  @Test func `cancelling a bounded map cancels running promises and starts nothing more`() {
    let pairs = (0..<5).map { _ in Promise<Int>.pending() }
    let started = Log<Int>()
    let mapped = Promise.map(0..<5, concurrency: 2, on: .inline) { index in
      started.add(index)
      return pairs[index].promise
    }

    mapped.cancel()

    #expect(pairs.map(\.resolver.isPending) == [false, false, true, true, true])
    #expect(started.entries == [0, 1])
  }

  @Test func `a bounded map over no elements is fulfilled with an empty array`() {
    let mapped = Promise.map([Int](), concurrency: 1) { .fulfilled($0) }

    #expect(mapped.fulfilledValue == [])
  }

  @Test(arguments: [0, -1, Int.min])
  func `a map with a concurrency below 1 is rejected with an explanation`(concurrency: Int) {
    let mapped = Promise.map([1], concurrency: concurrency) { .fulfilled($0) }

    let error = mapped.rejection as? InvalidConcurrency
    #expect(error?.concurrency == concurrency)
    #expect(error?.description.contains("must be 1 or more") == true)
  }
}
