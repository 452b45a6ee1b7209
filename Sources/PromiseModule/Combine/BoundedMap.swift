import Synchronization

/// The state of a bounded map: the waiting elements, the running promises and the outcomes so far.
final class BoundedMap<Element: Sendable, Output: Sendable>: Sendable {
  private struct State {
    var started = 0
    /// How many of those have begun. Each job takes the next element when it runs, so the elements
    /// are taken in order even if the executor runs the jobs in another one.
    var begun = 0
    /// The index of the element that each job has taken.
    var indices: [Int]
    var running: [Int: Link] = [:]
    var results: [Result<Output, any Error>?]
    var remaining: Int
    var isStopped = false
  }

  private let elements: [Element]
  private let rule: FailureRule
  private let executor: ExecutorReference
  private let combined: Promise<[Output]>
  private let body: @Sendable (Element) throws -> Promise<Output>
  private let state: Mutex<State>

  init(
    _ elements: [Element], rule: FailureRule, on executor: some PromiseExecutor,
    for combined: Promise<[Output]>, _ body: @escaping @Sendable (Element) throws -> Promise<Output>
  ) {
    self.elements = elements
    self.rule = rule
    self.executor = executor.reference
    self.combined = combined
    self.body = body
    state = Mutex(
      State(
        indices: Array(elements.indices), results: Array(repeating: nil, count: elements.count),
        remaining: elements.count))
  }

  func start(_ count: Int) {
    combined.core.onCancel { self.stop(&$0) }
    Worklist.run { worklist in
      for _ in 0..<min(count, elements.count) { startNext(&worklist) }
    }
  }
}

extension BoundedMap {
  /// Starts nothing more, and leaves the running promises.
  private func stop(_ worklist: inout Worklist) {
    let running = state.withLock { state in
      state.isStopped = true
      return exchange(&state.running, with: [:])
    }
    worklist.depart(from: .many(running.sorted { $0.key < $1.key }.map(\.value)))
  }

  private func startNext(_ worklist: inout Worklist) {
    let number = state.withLock { state -> Int? in
      guard !state.isStopped, state.started < elements.count else { return nil }
      defer { state.started += 1 }
      return state.started
    }
    guard let number else { return }
    let promise = Promise<Output>()
    let finish = Handler(.child, .inline) { outcome, worklist in
      self.finish(number, outcome.result(), &worklist)
    }
    if case .pending(let ticket) = promise.core.addIfPending(finish) {
      keep(Link(promise, ticket), as: number, &worklist)
    }
    let begin = Handler(.observer, executor) { _, worklist in
      guard promise.core.isPending else { return }
      promise.adopt(&worklist) { try self.body(self.begin(number)) }
    }
    let ready = Promise<Void>.fulfilled()
    ready.core.add(begin, of: ready)
  }

  private func begin(_ number: Int) -> Element {
    let index = state.withLock { state in
      defer { state.begun += 1 }
      state.indices[number] = state.begun
      return state.begun
    }
    return elements[index]
  }

  /// Records a running promise, or leaves it if the map has been stopped.
  private func keep(_ link: Link, as number: Int, _ worklist: inout Worklist) {
    let isStopped = state.withLock { state in
      if !state.isStopped { state.running[number] = link }
      return state.isStopped
    }
    if isStopped { worklist.depart(from: Parents(link)) }
  }

  private func finish(
    _ number: Int, _ result: Result<Output, any Error>, _ worklist: inout Worklist
  ) {
    let isLast = state.withLock { state in
      state.running[number] = nil
      state.results[state.indices[number]] = result
      state.remaining -= 1
      return state.remaining == 0
    }
    if rule == .stop, case .failure(let error) = result {
      combined.core.settle(.rejected(error), .oneParent, of: combined, &worklist)
    } else if isLast {
      combined.core.settle(conclusion(), .parents, of: combined, &worklist)
    } else {
      startNext(&worklist)
    }
  }

  private func conclusion() -> Outcome {
    let results = state.withLock { $0.results.compactMap { $0 } }
    let errors = results.compactMap { result in
      if case .failure(let error) = result { error } else { nil }
    }
    guard errors.isEmpty else { return .rejected(AggregateError(errors)) }
    return Outcome { try results.map { try $0.get() } }
  }
}
