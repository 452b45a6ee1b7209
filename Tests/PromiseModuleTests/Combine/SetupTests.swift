import Dispatch
import PromiseModule
import Synchronization
import TestSupport
import Testing

/// An input may settle on another thread while a combination is still being set up.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10))) struct SetupTests {
  typealias Pair = (promise: Promise<Int>, resolver: Promise<Int>.Resolver)

  private func pairs(_ count: Int) -> [Pair] { (0..<count).map { _ in Promise<Int>.pending() } }

  /// Combines promises on one thread while another settles the first of them. Returns how many
  /// inputs are still pending.
  private func combine(
    _ count: Int, round: Int, with outcome: Result<Int, any Error> = .success(1),
    _ body: @escaping @Sendable ([Promise<Int>]) -> Void
  ) -> Int {
    let pairs = pairs(count)
    let promises = pairs.map(\.promise)
    let hasBegun = DispatchSemaphore(value: 0)
    threads(2) { thread in
      if thread == 0 {
        hasBegun.wait()
        // A little later in each round, so that some rounds hit the middle of the other thread's
        // work.
        for _ in 0..<round * 3 { _ = pairs[0].resolver.isPending }
        pairs[0].resolver.resolve(outcome)
      } else {
        hasBegun.signal()
        body(promises)
      }
    }
    return pairs.count { $0.resolver.isPending }
  }

  @Test func `a race leaves no loser running`() {
    for round in 0..<150 {
      #expect(combine(200, round: round) { _ = Promise.race($0) } == 0)
    }
  }

  @Test func `any leaves no loser running`() {
    for round in 0..<150 {
      #expect(combine(200, round: round) { _ = Promise.any($0) } == 0)
    }
  }

  @Test func `all that fails leaves no input running`() {
    for round in 0..<150 {
      #expect(
        combine(400, round: round, with: .failure(Oops())) { _ = Promise.all($0) } == 0)
    }
  }

  @Test func `a bounded map that fails leaves nothing running, and starts nothing more`() {
    for _ in 0..<200 {
      let pairs = pairs(100)
      let started = Atomic(0)
      let mapped = Mutex<Promise<[Int]>?>(nil)
      threads(2) { thread in
        if thread == 0 {
          pairs[0].resolver.reject(Oops())
        } else {
          let promise = Promise.map(pairs.indices, concurrency: 50, on: .inline) { index in
            started.add(1, ordering: .relaxed)
            return pairs[index].promise
          }
          mapped.withLock { $0 = promise }
        }
      }

      let begun = started.load(ordering: .relaxed)
      #expect(mapped.withLock { $0 }?.rejection is Oops)
      #expect(pairs.prefix(begun).allSatisfy { !$0.resolver.isPending })
      #expect(pairs.dropFirst(begun).allSatisfy { $0.resolver.isPending })
    }
  }

  @Test func `a timeout leaves no timer running`() async throws {
    let rounds = 150
    let clock = EndlessClock(rounds)
    for round in 0..<rounds {
      _ = combine(1, round: round / 4) { promises in
        _ = promises[0].timeout(after: .seconds(1_000), clock: clock)
      }
    }

    try await clock.allEnded.get()
  }

  @Test func `cancelling a combination while it is set up cancels every input`() {
    for _ in 0..<200 {
      let pairs = pairs(100)
      let combined = Promise.race(pairs.map(\.promise))
      threads(2) { _ in combined.cancel() }
      #expect(pairs.allSatisfy { !$0.resolver.isPending })
    }
  }
}

/// A clock on which every sleep lasts until it is cancelled.
private final class EndlessClock: Clock {
  typealias Instant = ContinuousClock.Instant

  private let left: Atomic<Int>
  private let ended = Promise<Void>.pending()

  init(_ sleeps: Int) {
    left = Atomic(sleeps)
  }

  var allEnded: Promise<Void> { ended.promise }
  var now: Instant { ContinuousClock.now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let (promise, resolver) = Promise<Void>.pending()
    _ = try? await promise.get()
    withExtendedLifetime(resolver) {}
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { ended.resolver.fulfill() }
    throw CancellationError()
  }
}
