import CAllocations
import Measuring
import NIOCore
import PromiseModule
import Rows
import Synchronization

/// What promises use up, counted and not timed.
func registerCounts() {
  registerAllocations()
  registerAwaitAllocations()
  registerBytes()
  registerChainHops()
}

private func registerAllocations() {
  let end: @Sendable (Int) -> Void = { blackHole($0) }
  register(.createAllocations, allowed: 4) {
    create($0)
  } nio: {
    create($0, on: $1)
  }
  register(.mapAllocations, allowed: 3) {
    runChain(of: $0, on: .inline, end)
  } nio: {
    runChain(of: $0, loop: $1, end)
  }
  register(.mapCapturingAllocations, allowed: 4) {
    runCapturingChain(of: $0, end)
  } nio: {
    runCapturingChain(of: $0, loop: $1, end)
  }
  register(.allAllocations, allowed: 4) {
    waitForPromises($0)
  } nio: {
    waitForPromises($0, on: $1)
  }
}

/// - Parameter allowed: How many allocations an operation may need.
private func register(
  _ row: Row, allowed: Int, ours: @escaping @Sendable (Int) -> Void,
  nio: @escaping @Sendable (Int, any EventLoop) -> Void
) {
  row.registerCount(.ours) { count in
    // What is allocated only once isn't an operation's.
    ours(count)
    allocations_begin()
    ours(count)
    return allocations_end().count
  }
  row.registerCount(.nio) { count in
    let counted = Atomic(0)
    Loop.run { loop in
      nio(count, loop)
      allocations_begin()
      nio(count, loop)
      counted.store(allocations_end().count, ordering: .relaxed)
    }
    return counted.load(ordering: .relaxed)
  }
  // The chain has two ends, the group its arrays.
  row.registerCount(.allowed) { $0 * allowed + 20 }
}

private func registerAwaitAllocations() {
  Row.awaitAllocations.registerCount(.ours) { count in
    let counted = Atomic(0)
    TurnExecutor().run(waking: {}) {
      let (promise, resolver) = makePromise()
      resolve(resolver, 1)
      allocations_begin()
      for _ in 0..<count { blackHole(try? await promise.get()) }
      counted.store(allocations_end().count, ordering: .relaxed)
    }
    return counted.load(ordering: .relaxed)
  }
  Row.awaitAllocations.registerCount(.allowed) { _ in 1 }
}

private func registerBytes() {
  Row.pendingBytes.registerCount(.ours) { count in
    // What keeps the resolvers is there before.
    let holders = (0..<count).map { _ in Holder() }
    // What is allocated only once isn't an operation's.
    Holder().fill()
    allocations_begin()
    return withExtendedLifetime(holders) {
      for holder in holders { holder.fill() }
      return allocations_end().live
    }
  }
  Row.pendingBytes.registerCount(.nio) { count in
    let bytes = Atomic(0)
    Loop.run { loop in
      var promises: [EventLoopPromise<Int>] = []
      promises.reserveCapacity(count)
      allocations_begin()
      for _ in 0..<count {
        let promise = makePromise(on: loop)
        promise.futureResult.whenComplete { blackHole($0) }
        promises.append(promise)
      }
      bytes.store(allocations_end().live, ordering: .relaxed)
      for promise in promises { resolve(promise, 1) }
    }
    return bytes.load(ordering: .relaxed)
  }
  Row.pendingBytes.registerCount(.allowed) { $0 * 192 }
}

private func registerChainHops() {
  Row.hops.registerCount(.ours) { _ in
    let executor = CountingExecutor()
    runChain(of: 100, on: executor) { _ in }
    return executor.run()
  }
  Row.hops.registerCount(.allowed) { _ in 1 }
}
