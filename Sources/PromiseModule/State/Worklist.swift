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
  /// What can run here, as long as it is all there is to do. A plain chain never needs more.
  private var only: Turn?
  private var rest: Rest?

  init(on executor: (any PromiseExecutor)? = nil) {
    self.executor = executor
  }
}

/// A handler that may start, of a promise that is settled.
struct Turn: ~Copyable, Sendable {
  let handler: Handler
  let owner: any AnyPromise

  init(_ handler: consuming Handler, _ owner: any AnyPromise) {
    self.handler = handler
    self.owner = owner
  }
}

/// What there is to do besides one handler.
private final class Rest {
  var departures: [Link] = []
  var inline = Queue<Turn>()
  /// The one handler that runs on the executor when all else is out of the way.
  var here: Turn?
  /// Whether a handler for this very executor was sent there: then others follow it, in their order.
  var hasSent = false
}

extension Worklist {
  /// Takes a handler that is ready.
  mutating func accept(_ turn: consuming Turn) {
    if rest == nil, only == nil, runsHere(turn) {
      only = consume turn
    } else {
      acceptAnother(consume turn)
    }
  }

  private func runsHere(_ turn: borrowing Turn) -> Bool {
    turn.handler.executor == nil || turn.handler.executor === executor
  }

  private mutating func acceptAnother(_ turn: consuming Turn) {
    let rest = makeRest()
    if turn.handler.executor == nil {
      rest.inline.append(turn)
    } else if rest.here == nil, !rest.hasSent, runsHere(turn) {
      rest.here = consume turn
    } else {
      send(turn)
    }
  }

  /// Notes that a promise leaves its parents.
  mutating func depart(from parents: Parents) {
    switch parents {
    case .none: break
    case .first(let parent): makeRest().departures.append(Link(parent, Machine.firstTicket))
    case .many(let links): makeRest().departures.append(contentsOf: links.reversed())
    }
  }

  private mutating func makeRest() -> Rest {
    if let rest { return rest }
    let made = Rest()
    rest = made
    if let turn = only.take() { acceptAnother(turn) }
    return made
  }

  /// Gives a handler to its executor, where a list of its own begins.
  private mutating func send(_ turn: consuming Turn) {
    guard let executor = turn.handler.executor else { return }
    if executor === self.executor { makeRest().hasSent = true }
    let (body, owner) = (turn.handler.body, turn.owner)
    executor.schedule {
      var worklist = Worklist(on: executor)
      worklist.accept(Turn(Handler(nil, on: executor, body), owner))
      worklist.drain()
    }
  }
}

extension Worklist {
  /// Runs what is ready until nothing is.
  mutating func drain() {
    while let turn = next() {
      if turn.handler.executor == nil { runInline(turn) } else { runHere(turn) }
    }
  }

  private mutating func next() -> Turn? {
    guard let rest else { return only.take() }
    while let link = rest.departures.popLast() { link.parent.leave(link.ticket, &self) }
    if let turn = rest.inline.popFirst() { return turn }
    return rest.here.take()
  }

  private mutating func runInline(_ turn: borrowing Turn) {
    turn.handler.body?(turn.owner, &self)
    while let next = turn.owner.advance(on: nil) { next.body?(turn.owner, &self) }
  }

  private mutating func runHere(_ turn: consuming Turn) {
    turn.handler.body?(turn.owner, &self)
    guard let next = turn.owner.advance(on: executor) else { return }
    // The other handlers of the same promise come before those of promises that it has settled.
    let rest = makeRest()
    if let later = rest.here.take() { send(later) }
    rest.here = Turn(next, turn.owner)
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
      while let turn = next.take() {
        var worklist = Worklist()
        worklist.accept(turn)
        worklist.drain()
        next = calls.popFirst()
      }
    }
  }

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
