import PromiseModule

/// A clock that stands still until a test moves it.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  fileprivate struct State {
    var now = Instant(offset: .zero)
    var sleepers: [(until: Instant, resolver: Promise<Void>.Resolver)] = []
    var watchers: [(count: Int, resolver: Promise<Void>.Resolver)] = []
    var slept = 0
  }

  private let state = Guarded(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let (promise, resolver) = Promise<Void>.pending()
    let ready = state.withLock { state in
      if deadline <= state.now {
        resolver.fulfill()
      } else {
        state.sleepers.append((deadline, resolver))
      }
      state.slept += 1
      return state.takeReady()
    }
    for watcher in ready { watcher.fulfill() }
    try await promise.get()
  }

  /// Waits until this many sleeps have begun since the clock was created.
  func waitForSleeps(_ count: Int) async throws {
    let (promise, resolver) = Promise<Void>.pending()
    let ready = state.withLock { state in
      state.watchers.append((count, resolver))
      return state.takeReady()
    }
    for watcher in ready { watcher.fulfill() }
    try await promise.get()
  }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.until <= state.now }
      state.sleepers.removeAll { $0.until <= state.now }
      return due.sorted { $0.until < $1.until }.map(\.resolver)
    }
    for resolver in due { resolver.fulfill() }
  }

  /// Whether a sleep is under way that hasn't been cancelled.
  var hasSleepers: Bool { state.withLock { $0.sleepers.contains { $0.resolver.isPending } } }
}

extension ManualClock.State {
  mutating func takeReady() -> [Promise<Void>.Resolver] {
    let ready = watchers.filter { $0.count <= slept }.map(\.resolver)
    watchers.removeAll { $0.count <= slept }
    return ready
  }
}
