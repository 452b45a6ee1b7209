import Dispatch
import Foundation
import PromiseModule
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .serialized, .timeLimit(.minutes(10))) struct StressTests {
  @Test func `exactly one of many threads that settle a promise wins`() {
    for round in 0..<300 {
      let (promise, resolver) = Promise<Int>.pending()
      let wins = Atomic(0)
      let handled = Atomic(0)
      let order = Log<Int>()
      for index in 0..<4 { promise.observe(on: .inline) { _ in order.add(index) } }

      threads(4) { index in
        promise.observe(on: .inline) { _ in handled.add(1, ordering: .relaxed) }
        let won =
          switch (index + round) % 4 {
          case 0: promise.cancel()
          case 1: resolver.reject(Oops())
          case 2: resolver.resolve(with: .fulfilled(1))
          default: resolver.fulfill(index)
          }
        if won { wins.add(1, ordering: .relaxed) }
      }

      #expect(wins.load(ordering: .relaxed) == 1)
      #expect(handled.load(ordering: .relaxed) == 4)
      #expect(order.entries == [0, 1, 2, 3])
    }
  }

  @Test func `each thread's handlers run once and in order on a concurrent queue`()
    async throws
  {
    for _ in 0..<50 {
      let (promise, resolver) = Promise<Int>.pending()
      let logs = (0..<4).map { _ in Log<Int>() }

      threads(4) { thread in
        for index in 0..<50 { promise.observe { _ in logs[thread].add(index) } }
        resolver.fulfill(thread)
        for index in 50..<100 { promise.observe { _ in logs[thread].add(index) } }
      }
      try await promise.map { _ in }.get()

      for log in logs { #expect(log.entries == Array(0..<100)) }
    }
  }

  @Test func `cancelling in random trees reaches exactly the promises without interest`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let (root, resolver) = Promise<Int>.pending()
      var nodes = [root]
      var parents = [-1]
      for index in 1..<60 {
        let parent = Int.random(in: 0..<index, using: &random)
        parents.append(parent)
        nodes.append(nodes[parent].map(on: .inline) { $0 + 1 })
      }
      let leaves = nodes.indices.filter { !parents.contains($0) }.shuffled(using: &random)

      for (count, leaf) in leaves.enumerated() {
        #expect(resolver.isPending == (count < leaves.count))
        nodes[leaf].cancel()
      }

      #expect(!resolver.isPending)
      #expect(nodes.allSatisfy { $0.rejection is CancellationError })
    }
  }

  @Test func `cancelling and settling concurrently leaves every promise settled`() {
    for _ in 0..<200 {
      let (root, resolver) = Promise<Int>.pending()
      let children = (0..<8).map { index in
        root.then(on: .inline) { value in Promise { $0.fulfill(value + index) } }
      }

      threads(3) { thread in
        if thread == 0 { resolver.fulfill(1) }
        for child in children where thread != 0 { child.cancel() }
      }

      #expect(children.allSatisfy { $0.isSettled })
      #expect(root.isSettled)
    }
  }

  @Test func `tasks that are cancelled at random while they await all return`() async {
    for round in 0..<200 {
      let (promise, resolver) = Promise<Int>.pending()
      let tasks = (0..<8).map { _ in Task { try? await promise.get() } }

      for (index, task) in tasks.enumerated() where (index + round) % 3 != 0 { task.cancel() }
      if round.isMultiple(of: 2) { resolver.fulfill(1) }
      for task in tasks where round.isMultiple(of: 2) { _ = await task.value }
      for task in tasks { task.cancel() }
      for task in tasks { _ = await task.value }
    }
  }

  @Test func `nothing is kept once a chain is settled`() {
    weak var weakFirst: Promise<Int>?
    weak var weakLast: Promise<Int>?
    do {
      let (first, resolver) = Promise<Int>.pending()
      let last = first.map(on: .inline) { $0 }.then(on: .inline) { .fulfilled($0) }
      (weakFirst, weakLast) = (first, last)
      resolver.fulfill(1)
    }
    #expect(weakFirst == nil && weakLast == nil)

    do {
      let (first, resolver) = Promise<Int>.pending()
      let last = Promise.all([first, first.map(on: .inline) { $0 }])
        .timeout(after: .seconds(1000)).map(on: .inline, \.count)
      weakFirst = first
      weakLast = last
      last.cancel()
      #expect(!resolver.isPending)
    }
    #expect(weakFirst == nil && weakLast == nil)
  }

  /// Too many links for the stack, if each of them took a frame. A million take a minute without
  /// optimisation.
  #if DEBUG
    static let length = 50_000
  #else
    static let length = 1_000_000
  #endif

  enum Ending: CaseIterable {
    case fulfil, reject, cancel, drop
  }

  enum Chain: CaseIterable {
    case handlers, followers, races

    func link(to last: Promise<Int>) -> Promise<Int> {
      switch self {
      case .handlers: last.map(on: .inline) { $0 + 1 }
      case .followers: Promise.fulfilled(0).then(on: .inline) { _ in last }
      case .races: .race([last])
      }
    }

    var length: Int { self == .races ? StressTests.length / 10 : StressTests.length }
  }

  @Test(arguments: Chain.allCases, Ending.allCases)
  func `a chain of any length needs half a megabyte of stack`(chain: Chain, ending: Ending) {
    threads(1) { _ in
      var pair: (promise: Promise<Int>, resolver: Promise<Int>.Resolver)? = Promise<Int>.pending()
      guard var last = pair?.promise else { return }
      for _ in 0..<chain.length { last = chain.link(to: last) }

      switch ending {
      case .fulfil: pair?.resolver.fulfill(0)
      case .reject: pair?.resolver.reject(Oops())
      case .cancel: last.cancel()
      case .drop: pair = nil
      }

      let sum = chain == .handlers ? chain.length : 0
      #expect(ending == .fulfil ? last.fulfilledValue == sum : last.rejection != nil)
      pair = nil
    }
  }

  @Test func `a bounded map over 100,000 elements needs half a megabyte of stack`() {
    threads(1) { _ in
      let mapped = Promise.map(0..<100_000, concurrency: 3, on: .inline) { .fulfilled($0) }
      #expect(mapped.fulfilledValue?.count == 100_000)
    }
  }

  @Test func `cancelling tasks that wait for each other needs half a megabyte of stack`()
    async throws
  {
    let (first, resolver) = Promise<Int>.pending()
    let (stopped, stop) = Promise<Void>.pending()
    resolver.onCancel { stop.fulfill() }
    let waiting = Atomic(0)
    let last = (0..<5_000).reduce(first) { previous, _ in
      Promise {
        waiting.add(1, ordering: .relaxed)
        return try await previous.get()
      }
    }
    while waiting.load(ordering: .relaxed) < 5_000 { await Task.yield() }

    threads(1) { _ in last.cancel() }

    try await stopped.get()
    #expect(!resolver.isPending)
  }

  @Test func `cancelling ten thousand children takes linear time`() {
    let (promise, resolver) = Promise<Int>.pending()
    let stays = promise.map(on: .inline) { $0 }
    let children = (0..<10_000).map { _ in promise.map(on: .inline) { $0 } }

    for child in children { child.cancel() }
    #expect(resolver.isPending)
    stays.cancel()

    #expect(!resolver.isPending)
  }

  @Test func `a report can be set while other threads read the outcome`() {
    let promise = Promise<Int>.rejected(Oops())
    threads(4) { thread in
      for _ in 0..<5_000 {
        if thread.isMultiple(of: 2) {
          promise.reportingUnobserved { _ in }
        } else {
          _ = promise.result
        }
      }
    }

    #expect(promise.rejection is Oops)
  }
}
