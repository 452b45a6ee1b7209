/// What a promise does for one of those who wait for it, once it is settled.
///
/// It can't be copied, for a copy would cost more than all else that is done with it.
@usableFromInline
struct Handler: ~Copyable, Sendable {
  /// `nil` until a task that is about to wait has suspended, and after the handler has left.
  var body: Body?
  /// Where the handler runs; `nil` for inline.
  let executor: (any PromiseExecutor)?
  /// `nil` if the handler has left.
  let interest: Interest?

  @usableFromInline
  init(_ interest: Interest?, on executor: (any PromiseExecutor)?, _ body: Body?) {
    self.body = body
    self.executor = executor
    self.interest = interest
  }

  /// Is given the settled promise, and the list of what it makes ready to run.
  @usableFromInline typealias Body = @Sendable (any AnyPromise, inout Worklist) -> Void
}

/// How somebody who waits is interested in a promise.
@usableFromInline
enum Interest: Sendable {
  /// A derived promise. When it is cancelled its handler goes, too.
  case child
  /// A derived promise whose handler runs even if it was cancelled, as those of `catch` and `finally`.
  case watcher
  /// A derived promise that cancels nothing when it leaves.
  case shielded
  /// A task. It is woken when it leaves.
  case waiter
  /// A closure that never leaves.
  case observer
}

extension Handler {
  /// What stands for the handler while it runs; `nil` if there is nothing to run.
  var placeholder: Handler? { body == nil ? nil : Handler(nil, on: executor, nil) }

  /// What stays of the handler when it has left: that of a watcher still runs.
  var afterLeaving: Handler {
    interest == .watcher ? Handler(nil, on: executor, body) : Handler(nil, on: nil, nil)
  }
}

/// The handlers of a pending promise after the first, in the order in which they came.
struct HandlerList: Sendable {
  /// A handler in a list, where it has to be copied.
  struct Entry: Sendable {
    let ticket: UInt64
    var body: Handler.Body?
    let executor: (any PromiseExecutor)?
    let interest: Interest?

    init(_ handler: borrowing Handler, ticket: UInt64) {
      self.ticket = ticket
      body = handler.body
      executor = handler.executor
      interest = handler.interest
    }

    var handler: Handler { Handler(interest, on: executor, body) }
  }

  /// Handlers that have left stay until there are too many of them, so that leaving moves nobody.
  private var entries: [Entry] = []
  private var gone = 0
  /// Numbers the handlers. At one a nanosecond it would last for 584 years.
  private var lastTicket = Machine.firstTicket
  private(set) var interested = 0

  var isEmpty: Bool { entries.isEmpty }

  mutating func append(_ handler: borrowing Handler) -> UInt64 {
    lastTicket += 1
    entries.append(Entry(handler, ticket: lastTicket))
    interested += 1
    return lastTicket
  }

  mutating func fill(_ ticket: UInt64, with body: @escaping Handler.Body) -> Bool {
    guard let index = index(of: ticket) else { return false }
    entries[index].body = body
    return true
  }

  /// Ends the interest of a handler.
  ///
  /// - Returns: The handler as it was, so that it is freed where no lock is held; `nil` if it isn't there.
  mutating func leave(_ ticket: UInt64) -> Handler? {
    guard let index = index(of: ticket) else { return nil }
    let handler = entries[index].handler
    entries[index] = Entry(handler.afterLeaving, ticket: ticket)
    interested -= 1
    if entries[index].body == nil { gone += 1 }
    if gone > 16, gone * 2 > entries.count {
      entries.removeAll { $0.interest == nil && $0.body == nil }
      gone = 0
    }
    return handler
  }

  /// Empties the list.
  ///
  /// - Returns: The handlers in their order, those that have left included.
  mutating func takeAll() -> [Entry] {
    interested = 0
    return exchange(&entries, with: [])
  }

  /// Finds a handler that hasn't left, by halves: the tickets rise.
  private func index(of ticket: UInt64) -> Int? {
    var range = entries.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if entries[middle].ticket == ticket { return entries[middle].interest == nil ? nil : middle }
      range =
        entries[middle].ticket < ticket
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}

/// The handlers of a settled promise that wait for the one that runs on their executor.
final class HandlerQueue {
  let executor: (any PromiseExecutor)?
  var waiting = Queue<Handler>()

  init(executor: (any PromiseExecutor)?) {
    self.executor = executor
  }
}

/// First in, first out.
struct Queue<Element: ~Copyable>: ~Copyable {
  private final class Node {
    var element: Element?
    var next: Node?

    init(_ element: consuming Element) {
      self.element = consume element
    }
  }

  private var first: Node?
  private var last: Node?

  mutating func append(_ element: consuming Element) {
    let node = Node(consume element)
    if let last { last.next = node } else { first = node }
    last = node
  }

  mutating func popFirst() -> Element? {
    guard let node = first else { return nil }
    first = node.next
    if first == nil { last = nil }
    return node.element.take()
  }

  // One by one, or a long queue would take as much stack.
  deinit {
    var next = first
    while let node = next { next = node.next.take() }
  }
}
