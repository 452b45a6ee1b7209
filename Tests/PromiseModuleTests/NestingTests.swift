import PromiseModule
import Synchronization
import Testing

/// Handlers and cancel hooks that settle other promises, to any depth.
@Suite(.timeLimit(.minutes(15)))
struct NestingTests {
  private typealias Pair = (promise: Promise<Int>, resolver: Promise<Int>.Resolver)

  private static let length = 50_000

  private static func pairs(_ count: Int = length) -> [Pair] {
    (0..<count).map { _ in Promise<Int>.pending() }
  }

  @Test func `inline handlers that settle the next promise need half a megabyte of stack`() {
    threads(1) { _ in
      let pairs = Self.pairs()
      for index in 1..<pairs.count {
        let next = pairs[index].resolver
        pairs[index - 1].promise.observe(on: .inline) { next.resolve($0) }
      }

      pairs[0].resolver.fulfill(1)

      #expect(pairs.last?.promise.fulfilledValue == 1)
    }
  }

  @Test func `inline handlers that bind the next promise need half a megabyte of stack`() {
    threads(1) { _ in
      let pairs = Self.pairs()
      for index in 1..<pairs.count {
        let next = pairs[index].resolver
        pairs[index - 1].promise.observe(on: .inline) { _ in next.resolve(with: .fulfilled(2)) }
      }

      pairs[0].resolver.fulfill(1)

      #expect(pairs.last?.promise.fulfilledValue == 2)
    }
  }

  @Test func `hooks that cancel the next promise need half a megabyte of stack`() {
    threads(1) { _ in
      let pairs = Self.pairs()
      for index in 1..<pairs.count {
        let next = pairs[index].promise
        pairs[index - 1].resolver.onCancel { next.cancel() }
      }

      pairs[0].promise.cancel()

      #expect(pairs.allSatisfy { $0.promise.rejection is CancellationError })
    }
  }

  @Test func `alternating handlers and hooks need half a megabyte of stack`() {
    threads(1) { _ in
      let pairs = Self.pairs()
      for index in 1..<pairs.count {
        let next = pairs[index]
        if index.isMultiple(of: 2) {
          pairs[index - 1].resolver.onCancel { next.resolver.fulfill(index) }
        } else {
          pairs[index - 1].promise.observe(on: .inline) { _ in next.promise.cancel() }
        }
      }

      pairs[0].resolver.fulfill(0)

      #expect(pairs.allSatisfy { $0.promise.isSettled })
    }
  }

  @Test func `hooks that add hooks to cancelled promises need half a megabyte of stack`() {
    threads(1) { _ in
      let (promise, resolver) = Promise<Int>.pending()
      let calls = Counter()
      promise.cancel()
      @Sendable func add(_ rest: Int) {
        calls.count.add(1, ordering: .relaxed)
        if rest > 0 { resolver.onCancel { add(rest - 1) } }
      }

      add(Self.length)

      #expect(calls.count.load(ordering: .relaxed) == Self.length + 1)
    }
  }

  @Test func `handlers that drop the next resolver need half a megabyte of stack`() {
    threads(1) { _ in
      let last: Promise<Int>
      var next: Promise<Int>.Resolver?
      do { (last, next) = Promise<Int>.pending() }
      for _ in 0..<Self.length {
        let (promise, resolver) = Promise<Int>.pending()
        promise.observe(on: .inline) { [next] _ in withExtendedLifetime(next) {} }
        next = resolver
      }

      next = nil

      #expect(last.rejection is BrokenPromise)
    }
  }

  @Test func `an inline handler runs before the call that settles its promise returns`() {
    let log = Log<String>()
    let pairs = Self.pairs(3)
    for index in 1..<3 {
      pairs[index - 1].promise.observe(on: .inline) { result in
        log.add("begin \(index)")
        pairs[index].resolver.resolve(result)
        log.add("end \(index)")
      }
    }

    pairs[0].resolver.fulfill(1)

    #expect(log.entries == ["begin 1", "begin 2", "end 2", "end 1"])
  }

  @Test
  func `inline handlers beyond the deepest nesting run in order, right after the innermost one`() {
    let log = Log<Int>()
    let pairs = Self.pairs(40)
    for index in 1..<40 {
      pairs[index - 1].promise.observe(on: .inline) { result in
        pairs[index].resolver.resolve(result)
        log.add(index)
      }
    }

    let isFirst = pairs[0].resolver.fulfill(1)

    #expect(isFirst)
    // Sixteen calls are nested, and the innermost ends first. The rest follow one by one.
    #expect(log.entries == Array(17...39) + (1...16).reversed())
    #expect(pairs.allSatisfy { $0.promise.fulfilledValue == 1 })
  }

  @Test func `a settled promise isn't pending inside handlers of any depth`() {
    let answers = Log<Bool>()
    let pairs = Self.pairs(100)
    for index in 1..<100 {
      pairs[index - 1].promise.observe(on: .inline) { result in
        answers.add(pairs[index].resolver.resolve(result))
        answers.add(!pairs[index].resolver.isPending)
        answers.add(!pairs[index].resolver.resolve(result))
      }
    }

    pairs[0].resolver.fulfill(1)

    #expect(answers.entries == Array(repeating: true, count: 297))
  }
}

private final class Counter: Sendable {
  let count = Atomic(0)
}
