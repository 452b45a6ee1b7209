import Synchronization

/// What one event from outside has made ready, run in a loop.
///
/// A handler that settles another promise adds to the list instead of calling deeper, so a chain of
/// any length needs one hop and constant stack.
///
/// A handler that names an executor may block. Therefore all that could wait for it is out of the way
/// before it starts: parents have been left, inline handlers have run, and the handlers of other
/// promises have been given to their executors.
@usableFromInline
struct Worklist: ~Copyable {
  /// Where the list runs; `nil` for inside a call from outside.
  private let executor: (any PromiseExecutor)?
  private var departures: [Link] = []
  private var inline = Queue<Turn>()
  /// The one handler that runs on the executor when all else is out of the way.
  private var here: Turn?
  /// Whether a handler for this very executor was sent there: then others follow it, in their order.
  private var hasSent = false

  private init(on executor: (any PromiseExecutor)? = nil) {
    self.executor = executor
  }

  /// Runs all that an event from outside makes ready.
  static func run<Answer>(_ event: (inout Worklist) -> Answer) -> Answer {
    var worklist = Worklist()
    let answer = event(&worklist)
    worklist.drain()
    return answer
  }
}

/// A handler that may start, of a promise that is settled.
struct Turn: ~Copyable, Sendable {
  let handler: Handler
  let outcome: Outcome
  let owner: any AnyPromise

  init(_ handler: consuming Handler, _ outcome: Outcome, _ owner: any AnyPromise) {
    self.handler = handler
    self.outcome = outcome
    self.owner = owner
  }
}

extension Worklist {
  /// Takes a handler that is ready.
  mutating func accept(_ turn: consuming Turn) {
    guard let place = turn.handler.executor else { return inline.append(turn) }
    if place === executor, here == nil, !hasSent {
      here = consume turn
    } else {
      send(turn, to: place)
    }
  }

  /// Notes that a promise leaves its parents.
  mutating func depart(from parents: Parents) {
    departures.append(contentsOf: parents.links.reversed())
  }

  /// Gives a handler to its executor, where a list of its own begins.
  private mutating func send(_ turn: consuming Turn, to place: any PromiseExecutor) {
    if place === executor { hasSent = true }
    let (body, outcome, owner) = (turn.handler.body, turn.outcome, turn.owner)
    place.schedule {
      var worklist = Worklist(on: place)
      worklist.accept(Turn(Handler(nil, on: place, body), outcome, owner))
      worklist.drain()
    }
  }

  /// Runs what is ready until nothing is.
  private mutating func drain() {
    while true {
      while let link = departures.popLast() {
        link.leave(&self)
      }
      if let turn = inline.popFirst() {
        runInline(turn)
      } else if let turn = here.take() {
        runHere(turn)
      } else {
        return
      }
    }
  }

  private mutating func runInline(_ turn: consuming Turn) {
    let (outcome, owner) = (turn.outcome, turn.owner)
    turn.handler.body?(outcome, &self)
    while let next = owner.core.advance(on: nil) { next.body?(outcome, &self) }
  }

  private mutating func runHere(_ turn: consuming Turn) {
    let (outcome, owner) = (turn.outcome, turn.owner)
    turn.handler.body?(outcome, &self)
    guard let next = owner.core.advance(on: executor) else { return }
    // The other handlers of the same promise come before those of promises that it has settled.
    if let later = here.take(), let executor { send(later, to: executor) }
    here = Turn(next, outcome, owner)
  }

  /// Runs a handler that has been added to a settled promise.
  static func start(_ turn: consuming Turn) {
    if turn.handler.executor == nil { return InlineCalls.run(turn) }
    var worklist = Worklist()
    worklist.accept(turn)
  }
}

/// The inline handlers that are added to settled promises inside another such handler.
///
/// They run right after it and not inside of it, so that a function that calls itself by way of `then`
/// needs constant stack.
final class InlineCalls: Sendable {
  /// Those of the handler that is running. A task that the handler starts inherits them; when the
  /// handler is over they take no more.
  @TaskLocal private static var current: InlineCalls?

  private let waiting = Mutex<Queue<Turn>?>(Queue())

  private init() {}

  static func run(_ turn: consuming Turn) {
    var next: Turn? = turn
    if let current, current.append(&next) { return }
    let calls = InlineCalls()
    $current.withValue(calls) {
      while next != nil {
        Worklist.run { worklist in
          if let turn = next.take() { worklist.accept(turn) }
        }
        next = calls.popFirst()
      }
    }
  }

  /// - Returns: `false` if the handler is over.
  private func append(_ turn: inout Turn?) -> Bool {
    waiting.withLock { waiting in
      guard waiting != nil else { return false }
      if let turn = turn.take() { waiting?.append(turn) }
      return true
    }
  }

  private func popFirst() -> Turn? {
    waiting.withLock { waiting in
      let next = waiting?.popFirst()
      if next == nil { waiting = nil }
      return next
    }
  }
}
