import Synchronization

/// One bounded map: the elements that wait, the promises under way, the outcomes so far.
final class MapRun<Element: Sendable, Output: Sendable>: Upstream {
  private struct State {
    var next = 0
    var running: [Int: Promise<Output>] = [:]
    var outcomes: [Result<Output, any Error>?]
    var remaining: Int
    var isStopped = false
  }

  private let elements: [Element]
  private let rule: FailureRule
  private let lane: Lane
  private let body: @Sendable (Element) throws -> Promise<Output>
  private let state: Mutex<State>

  init(
    _ elements: [Element], rule: FailureRule, lane: Lane,
    _ body: @escaping @Sendable (Element) throws -> Promise<Output>
  ) {
    self.elements = elements
    self.rule = rule
    self.lane = lane
    self.body = body
    let outcomes = [Result<Output, any Error>?](repeating: nil, count: elements.count)
    state = Mutex(State(outcomes: outcomes, remaining: elements.count))
  }

  func start(_ count: Int, for combined: Promise<[Output]>, _ worklist: inout Worklist) {
    guard !elements.isEmpty else {
      combined.settle(.success([]), &worklist)
      return
    }
    for _ in 0..<min(count, elements.count) { startNext(for: combined, &worklist) }
  }

  /// The combined promise was cancelled: stops.
  func leave(_ key: Key, _ worklist: inout Worklist) {
    let running = state.withLock { state in
      state.isStopped = true
      return state.running.values.map { $0 }
    }
    for promise in running { worklist.depart(from: promise, Key(child: self)) }
  }
}

extension MapRun {
  private func startNext(for combined: Promise<[Output]>, _ worklist: inout Worklist) {
    let promise = Promise<Output>(origin: .none)
    let next = state.withLock { state -> Int? in
      guard !state.isStopped, state.next < elements.count else { return nil }
      defer { state.next += 1 }
      state.running[state.next] = promise
      return state.next
    }
    guard let next else { return }
    promise.add(
      Reaction(.inline, key: Key(child: self)) { _, lane, worklist in
        self.finish(next, promise.settled, for: combined, &worklist)
        promise.advance(lane, &worklist)
      }, &worklist)
    let start = Reaction(lane, key: Key(waiter: 0)) { _, _, worklist in
      guard promise.isPending else { return }
      do { promise.adopt(try self.body(self.elements[next]), &worklist) } catch {
        promise.settle(.failure(error), &worklist)
      }
    }
    worklist.accept(Due(start, of: nil))
  }

  private func finish(
    _ index: Int, _ result: Result<Output, any Error>, for combined: Promise<[Output]>,
    _ worklist: inout Worklist
  ) {
    let isLast = state.withLock { state in
      state.running[index] = nil
      state.outcomes[index] = result
      state.remaining -= 1
      return state.remaining == 0
    }
    if rule == .stop, case .failure(let error) = result {
      if combined.settle(.failure(error), &worklist) { leave(Key(child: self), &worklist) }
    } else if isLast {
      combined.settle(conclusion(), &worklist)
    } else {
      startNext(for: combined, &worklist)
    }
  }

  private func conclusion() -> Result<[Output], any Error> {
    let outcomes = state.withLock { $0.outcomes.compactMap { $0 } }
    let errors = outcomes.compactMap(\.failure)
    guard errors.isEmpty else { return .failure(AggregateError(errors)) }
    return Result { try outcomes.map { try $0.get() } }
  }
}
