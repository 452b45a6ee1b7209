import Dispatch
import PromiseModule
import Testing

@Suite struct PromiseTests {
  @Test func `the first resolution wins and later ones return false`() {
    let (promise, resolver) = Promise<Int>.pending()

    #expect(resolver.fulfill(1))
    #expect(!resolver.fulfill(2))
    #expect(!resolver.reject(Oops()))
    #expect(!resolver.resolve(with: .fulfilled(3)))

    #expect(promise.fulfilledValue == 1)
    #expect(!promise.cancel())
  }

  @Test func `a closure starts at once and settles its promise`() {
    let promise = Promise { resolver in resolver.fulfill("done") }

    #expect(promise.fulfilledValue == "done")
  }

  @Test func `handlers never run inside the resolution or the call that adds them`() {
    let executor = ManualExecutor()
    let log = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()

    promise.done(on: executor) { log.add("early \($0)") }
    resolver.fulfill(1)
    promise.done(on: executor) { log.add("late \($0)") }
    #expect(log.entries.isEmpty)

    executor.drain()
    #expect(log.entries == ["early 1", "late 1"])
  }

  @Test func `inline handlers run before the resolution returns`() {
    let log = Log<Int>()
    let (promise, resolver) = Promise<Int>.pending()
    promise.map(on: .inline) { $0 * 2 }.done(on: .inline) { log.add($0) }

    resolver.fulfill(21)

    #expect(log.entries == [42])
  }

  @Test func `a chain of a hundred costs one hop`() {
    let executor = ManualExecutor()
    let (first, resolver) = Promise<Int>.pending()
    var last = first
    for index in 0..<100 {
      last =
        index.isMultiple(of: 2)
        ? last.map(on: executor) { $0 + 1 }
        : last.then(on: executor) { .fulfilled($0 + 1) }
    }

    resolver.fulfill(0)
    executor.drain()

    #expect(last.fulfilledValue == 100)
    #expect(executor.hops == 1)
  }

  @Test func `a dropped resolver rejects and names the file and line`() {
    let line: UInt = #line + 1
    let promise = Promise<Int> { _ in }

    let error = promise.rejection as? BrokenPromise
    #expect(error?.line == line)
    #expect(error?.fileID == "PromiseModuleTests/PromiseTests.swift")
  }

  @Test func `a promise breaks only when the last copy of its resolver is dropped`() {
    var resolvers: [Promise<Int>.Resolver] = []
    let promise = Promise<Int> { resolvers = [$0, $0] }

    resolvers.removeLast()
    #expect(!promise.isSettled)
    resolvers.removeLast()
    #expect(promise.rejection is BrokenPromise)
  }

  @Test func `a promise that follows itself is rejected`() {
    let (promise, resolver) = Promise<Int>.pending()

    resolver.resolve(with: promise)

    #expect(promise.rejection is SelfResolution)
  }

  @Test(arguments: 2...5)
  func `promises that follow each other in a circle are rejected`(count: Int) {
    let pairs = (0..<count).map { _ in Promise<Int>.pending() }

    for index in pairs.indices {
      pairs[index].resolver.resolve(with: pairs[(index + 1) % count].promise)
    }

    #expect(pairs.allSatisfy { $0.promise.rejection is SelfResolution })
  }

  @Test(arguments: 2...5)
  func `promises with other handlers that follow each other in a circle are rejected`(count: Int) {
    let pairs = (0..<count).map { _ in Promise<Int>.pending() }
    // With this observer, the circle isn't formed by first handlers.
    for pair in pairs { pair.promise.observe(on: .inline) { _ in } }

    for index in pairs.indices {
      pairs[index].resolver.resolve(with: pairs[(index + 1) % count].promise)
    }

    #expect(pairs.allSatisfy { $0.promise.rejection is SelfResolution })
  }

  @Test func `a promise that follows a race of its own descendants only is rejected`() {
    let (promise, resolver) = Promise<Int>.pending()
    let race = Promise.race([promise.map(on: .inline) { $0 }])

    resolver.resolve(with: race)

    #expect(promise.rejection is SelfResolution)
    #expect(race.rejection is SelfResolution)
  }

  @Test func `a promise that follows a combination with its own descendant waits for the others`() {
    let (promise, resolver) = Promise<[Int]>.pending()
    let (other, otherResolver) = Promise<[Int]>.pending()
    let all = Promise.all([promise.map(on: .inline) { $0 }, other])

    resolver.resolve(with: all.map(on: .inline) { $0[0] })

    #expect(!promise.isSettled)
    otherResolver.reject(Oops())
    #expect(promise.isSettled)
  }

  @Test func `a promise that follows its own descendant is rejected`() {
    let (promise, resolver) = Promise<Int>.pending()
    let derived = promise.map(on: .inline) { $0 + 1 }.done(on: .inline) { _ in }

    resolver.resolve(with: derived)

    #expect(promise.rejection is SelfResolution)
    #expect(derived.rejection is SelfResolution)
  }

  @Test func `promises that begin to follow each other at the same time are rejected`() {
    for _ in 0..<300 {
      let pairs = (0..<2).map { _ in Promise<Int>.pending() }

      threads(2) { index in pairs[index].resolver.resolve(with: pairs[1 - index].promise) }

      #expect(pairs.allSatisfy { $0.promise.rejection is SelfResolution })
    }
  }

  @Test func `a promise may follow a race that includes its own descendant`() {
    let (promise, resolver) = Promise<Int>.pending()
    let (other, otherResolver) = Promise<Int>.pending()

    let wanted = promise.map(on: .inline) { $0 }
    resolver.resolve(with: .race(promise.map(on: .inline) { $0 }, other))
    otherResolver.fulfill(1)

    #expect(wanted.fulfilledValue == 1)
  }

  @Test func `a bound promise is settled only by the one it follows`() {
    let (promise, resolver) = Promise<Int>.pending()
    let (other, otherResolver) = Promise<Int>.pending()

    #expect(resolver.resolve(with: other))
    #expect(!resolver.fulfill(1))
    #expect(!promise.isSettled)
    otherResolver.fulfill(2)

    #expect(promise.fulfilledValue == 2)
  }

  @Test(.timeLimit(.minutes(10)))
  func `an async closure fulfils or rejects`() async throws {
    let value = try await Promise { 42 }.value
    #expect(value == 42)

    await #expect(throws: Oops.self) {
      try await Promise<Int> { throw Oops() }.value
    }
  }
}
