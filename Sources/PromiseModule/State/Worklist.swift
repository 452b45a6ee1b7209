import Synchronization

@usableFromInline typealias Event = @Sendable (inout Worklist) -> Void

/// The handlers that one event from outside has made ready, run in a loop.
///
/// A handler that settles another promise adds to the list instead of calling deeper, so a chain of
/// any length needs one hop and constant stack.
///
/// A handler that names an executor may block. Before it starts, everything that might wait for it
/// has been done: parents have been left, inline handlers have run, and the handlers of other
/// promises have been given to their executors.
@usableFromInline
struct Worklist: ~Copyable {
  /// The executor on which the list runs; inline inside a call from outside.
  private let executor: ExecutorReference
  private var work = Work()
  /// The handler that runs on the executor after all other work.
  private var here: ReadyHandler?
  /// Whether a handler for this executor has been scheduled on it. Then later ones are scheduled
  /// too, to keep their order.
  private var hasSent = false

  private init(on executor: ExecutorReference = .inline) {
    self.executor = executor
  }

  /// Runs everything that an event from outside makes ready.
  ///
  /// A handler or a cancel hook may settle another promise, whose handlers run in a list of their
  /// own, one call deeper. Beyond the limit of ``NestingDepth`` they run right after the innermost
  /// handler instead.
  static func run<Answer>(_ event: (inout Worklist) -> Answer) -> Answer {
    var worklist = Worklist()
    let answer = event(&worklist)
    if worklist.work.isEmpty { return answer }
    if let depth = NestingDepth.enter() {
      worklist.drain()
      NestingDepth.leave(to: depth)
    } else {
      NestedCalls.run(.work(worklist.work.take()), in: NestedCalls.$settlements)
    }
    return answer
  }

  /// Runs everything that a call makes ready, at any depth of nesting.
  fileprivate static func runHere(_ call: consuming NestedCalls.Call) {
    var worklist = Worklist()
    // No other reference to the handlers may remain: freeing what they hold may settle more
    // promises, and that has to happen here.
    switch consume call {
    case .event(let event): event(&worklist)
    case .work(let work): worklist.work = work
    }
    worklist.drain()
  }
}

/// The work that a list does before it runs a handler that may block.
struct Work: Sendable {
  fileprivate var departures: [Link] = []
  fileprivate var inline = Queue<ReadyHandler>()

  fileprivate var isEmpty: Bool { departures.isEmpty && inline.isEmpty }

  fileprivate mutating func take() -> Work { exchange(&self, with: Work()) }
}

/// A handler of a settled promise, ready to start.
struct ReadyHandler: Sendable {
  let handler: Handler
  let outcome: Outcome
  /// `nil` for an event that belongs to no promise.
  let owner: (any AnyPromise)?

  init(_ handler: consuming Handler, _ outcome: Outcome, _ owner: (any AnyPromise)?) {
    self.handler = handler
    self.outcome = outcome
    self.owner = owner
  }
}

extension Worklist {
  mutating func accept(_ ready: consuming ReadyHandler) {
    guard case .on(let executor) = ready.handler.executor else { return work.inline.append(ready) }
    if ready.handler.executor.id == self.executor.id, here == nil, !hasSent {
      here = ready
    } else {
      send(ready, to: executor)
    }
  }

  /// Adds an event that calls are nested too deep to run now.
  mutating func accept(_ event: @escaping Event) {
    let handler = Handler(nil, .inline) { _, worklist in event(&worklist) }
    accept(ReadyHandler(handler, .rejected(CancellationError()), nil))
  }

  /// Adds the parents that a promise leaves.
  mutating func depart(from parents: Parents) {
    work.departures.append(contentsOf: parents.links.reversed())
  }

  /// Schedules a handler on its executor, with a new list.
  private mutating func send(_ ready: ReadyHandler, to executor: any PromiseExecutor) {
    if ready.handler.executor.id == self.executor.id { hasSent = true }
    executor.schedule {
      var worklist = Worklist(on: ready.handler.executor)
      worklist.accept(ready)
      worklist.drain()
    }
  }

  private mutating func drain() {
    while true {
      while let link = work.departures.popLast() {
        link.leave(&self)
      }
      if let ready = work.inline.popFirst() {
        runInline(ready)
      } else if let ready = here.take() {
        runHere(ready)
      } else {
        return
      }
    }
  }

  private mutating func runInline(_ ready: ReadyHandler) {
    ready.handler.body?(ready.outcome, &self)
    while let next = ready.owner?.core.advance(on: .inline) { next.body?(ready.outcome, &self) }
  }

  private mutating func runHere(_ ready: ReadyHandler) {
    ready.handler.body?(ready.outcome, &self)
    guard let next = ready.owner?.core.advance(on: executor) else { return }
    // The other handlers of the same promise come before those of promises that it has settled.
    if let later = here.take(), case .on(let executor) = self.executor { send(later, to: executor) }
    here = ReadyHandler(next, ready.outcome, ready.owner)
  }

  /// Runs a handler that has been added to a settled promise.
  static func start(_ ready: ReadyHandler) {
    if case .inline = ready.handler.executor {
      return NestedCalls.run(.event { $0.accept(ready) }, in: NestedCalls.$handlers)
    }
    var worklist = Worklist()
    worklist.accept(ready)
  }
}

/// Calls made inside others of the same kind on the same thread.
///
/// Each runs right after the call that made it, not inside it, so any number of calls that cause
/// one another needs constant stack.
final class NestedCalls: Sendable {
  /// Inline handlers that are added to settled promises.
  @TaskLocal static var handlers: NestedCalls?
  /// Cancellations of tasks, and waiting tasks that leave because they were cancelled.
  @TaskLocal static var cancels: NestedCalls?
  /// Worklists below the deepest nesting.
  @TaskLocal static var settlements: NestedCalls?

  enum Call: Sendable {
    case event(Event)
    case work(Work)
  }

  /// `nil` when the outermost call is over.
  private let waiting = Mutex<Queue<Call>?>(Queue())
  /// Identifies the task that makes the outermost call, if there is one. A task started inside it
  /// inherits the calls but may run at the same time, so it starts a list of its own.
  private let task = NestedCalls.currentTask

  private init() {}

  // Only the identity of the task leaves the closure.
  private static var currentTask: Int? { unsafe withUnsafeCurrentTask { unsafe $0?.hashValue } }

  static func run(_ call: consuming Call, in kind: TaskLocal<NestedCalls?>) {
    if let outer = kind.get(), outer.task == currentTask, outer.append(call) { return }
    let calls = NestedCalls()
    _ = calls.append(consume call)
    kind.withValue(calls) {
      while let call = calls.popFirst() { Worklist.runHere(consume call) }
    }
  }

  /// - Returns: `false` if the outermost call is over.
  private func append(_ call: Call) -> Bool {
    waiting.withLock { waiting in
      waiting?.append(call)
      return waiting != nil
    }
  }

  private func popFirst() -> Call? {
    waiting.withLock { waiting in
      let next = waiting?.popFirst()
      if next == nil { waiting = nil }
      return next
    }
  }
}
