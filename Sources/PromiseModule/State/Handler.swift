/// A closure that waits for a promise to settle, with its executor.
@usableFromInline
struct Handler: Sendable {
  /// `nil` until a task that is about to wait has suspended, and after the handler has left.
  var body: Body?
  let executor: ExecutorReference
  /// `nil` if the handler has left.
  let interest: Interest?

  @usableFromInline
  init(_ interest: Interest?, _ executor: ExecutorReference, _ body: Body?) {
    self.interest = interest
    self.executor = executor
    self.body = body
  }

  /// A closure that takes the outcome, and the list to which it adds the handlers that it makes
  /// ready.
  @usableFromInline typealias Body = @Sendable (Outcome, inout Worklist) -> Void
}

/// The kind of interest that a handler has in a promise.
@usableFromInline
enum Interest: Sendable {
  /// A derived promise. When it is cancelled, its handler is removed.
  case child
  /// A derived promise whose handler runs even if the promise has been cancelled, as with `catch`
  /// and `finally`.
  case watcher
  /// A derived promise that cancels nothing when it leaves.
  case shielded
  /// A task. It is resumed when it leaves.
  case waiter
  /// A closure that never leaves.
  case observer
}

extension Handler {
  mutating func fill(with body: @escaping Body) -> Bool {
    guard interest != nil else { return false }
    self.body = body
    return true
  }

  /// Ends the interest, and returns the handler as it was; `nil` if it had left. The handler of a
  /// watcher still runs.
  mutating func leave() -> Handler? {
    guard let interest else { return nil }
    let stays = interest == .watcher
    return exchange(&self, with: Handler(nil, stays ? executor : .inline, stays ? body : nil))
  }
}

/// A first-in, first-out queue whose first element needs no allocation.
struct Queue<Element> {
  private var first: Element?
  private var others: [Element?] = []
  private var taken = 0

  var isEmpty: Bool { if case .some = first { false } else { others.isEmpty } }

  mutating func append(_ element: consuming Element) {
    if first == nil && others.isEmpty {
      first = consume element
    } else {
      others.append(element)
    }
  }

  mutating func popFirst() -> Element? {
    if first != nil { return first.take() }
    guard taken < others.count else { return nil }
    let element = others[taken].take()
    taken += 1
    if taken * 2 >= others.count {
      others.removeFirst(taken)
      taken = 0
    }
    return element
  }
}

extension Queue: Sendable where Element: Sendable {}
