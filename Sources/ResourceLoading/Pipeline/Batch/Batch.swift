import Synchronization

/// Runs the loads of one iteration of `LoadAll`.
final class Batch<R: Sendable>: Sendable {
  private let resources: [Resource<R>]
  private let load: @Sendable (Resource<R>) async throws -> R
  private let state: Mutex<BatchState<R>>

  init(
    _ resources: [Resource<R>], width: Int,
    load: @escaping @Sendable (Resource<R>) async throws -> R
  ) {
    self.resources = resources
    self.load = load
    state = Mutex(BatchState(count: resources.count, width: width))
  }

  /// The next result, or `nil` at the end or after a cancellation.
  func next() async -> LoadAll<R>.Element? {
    act(on: state.withLock { $0.startMore() })
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        act(on: state.withLock { $0.wait(continuation) })
      }
    } onCancel: {
      cancel()
    }
  }

  func cancel() {
    act(on: state.withLock { $0.cancel() })
  }

  private func act(on action: BatchState<R>.Action) {
    for index in action.start { start(index) }
    for task in action.stop { task.cancel() }
    if let (continuation, element) = action.give { continuation.resume(returning: element) }
  }

  private func start(_ index: Int) {
    let task = LoadTask { [self] in
      let result: Result<R, any Error>
      do {
        result = .success(try await load(resources[index]))
      } catch {
        result = .failure(error)
      }
      act(on: state.withLock { $0.finish(index, result) })
    }
    act(on: state.withLock { $0.keep(task, for: index) })
  }
}

/// The state machine of a ``Batch``: each event returns the actions to perform after unlocking.
struct BatchState<R: Sendable> {
  typealias Element = LoadAll<R>.Element
  typealias Continuation = CheckedContinuation<Element?, Never>

  /// The actions to perform outside of the lock.
  struct Action {
    /// The positions to start loading.
    var start: Range<Int> = 0..<0
    /// The loads to cancel.
    var stop: [LoadTask] = []
    /// The continuation to resume, and the element for it.
    var give: (Continuation, Element?)?
  }

  private let count: Int
  private let width: Int
  private var started = 0
  private var finished = 0
  private var given = 0
  private var ready = FairQueue<Element>()
  private var tasks: [Int: LoadTask?] = [:]
  private var continuation: Continuation?
  private var isCancelled = false

  init(count: Int, width: Int) {
    self.count = count
    self.width = width
  }

  /// Starts loads up to the limit, for which running loads count and finished ones whose result wasn't returned yet.
  mutating func startMore() -> Action {
    guard !isCancelled else { return Action() }
    let room = Swift.min(width - (started - finished), 2 * width - (started - given))
    let end = Swift.min(count, started + Swift.max(0, room))
    defer { started = end }
    return Action(start: started..<end)
  }

  /// Records the load that was started at a position.
  mutating func keep(_ task: LoadTask, for index: Int) -> Action {
    guard !isCancelled else { return Action(stop: [task]) }
    // If it has finished already, there is nothing to cancel.
    if tasks.removeValue(forKey: index) == nil { tasks[index] = .some(task) }
    return Action()
  }

  /// Records the result of a load.
  mutating func finish(_ index: Int, _ result: Result<R, any Error>) -> Action {
    finished += 1
    if tasks.removeValue(forKey: index) == nil { tasks[index] = .some(nil) }
    guard !isCancelled else { return Action() }
    guard let continuation else {
      ready.append((index: index, result: result))
      return startMore()
    }
    self.continuation = nil
    given += 1
    var action = startMore()
    action.give = (continuation, (index, result))
    return action
  }

  /// Returns the next result to the waiting task, now or when there is one.
  mutating func wait(_ continuation: Continuation) -> Action {
    guard !isCancelled, given < count else { return Action(give: (continuation, nil)) }
    guard let element = ready.popFirst() else {
      self.continuation = continuation
      return Action()
    }
    given += 1
    var action = startMore()
    action.give = (continuation, element)
    return action
  }

  /// Ends the batch: running loads are cancelled, and nothing more is started or returned.
  mutating func cancel() -> Action {
    guard !isCancelled else { return Action() }
    isCancelled = true
    defer { (tasks, ready, continuation) = ([:], FairQueue(), nil) }
    return Action(stop: tasks.values.compactMap(\.self), give: continuation.map { ($0, nil) })
  }
}
