/// What a promise does for one of those who wait for it, once it is settled.
@usableFromInline
struct Handler: Sendable {
  /// Is given the outcome, and the list of what it makes ready to run.
  @usableFromInline typealias Body = @Sendable (Outcome, inout Worklist) -> Void

  /// Where the handler runs; `nil` for inline.
  let executor: (any PromiseExecutor)?
  /// Rises with every handler of a promise.
  let ticket: UInt64
  let interest: Interest
  private(set) var hasLeft = false
  /// `nil` until a task that is about to wait has suspended, and after the handler has left.
  var body: Body?

  init(
    _ executor: (any PromiseExecutor)?, _ interest: Interest, ticket: UInt64, _ body: Body?
  ) {
    self.executor = executor
    self.interest = interest
    self.ticket = ticket
    self.body = body
  }
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
  /// Ends the interest of a handler that hasn't left.
  ///
  /// - Returns: The handler as it was, so that it is freed where no lock is held.
  mutating func leave() -> Handler {
    defer {
      hasLeft = true
      if interest != .watcher { body = nil }
    }
    return self
  }
}

/// The handlers of a pending promise, two or more, in the order in which they came.
struct HandlerList: Sendable {
  /// Handlers that have left stay until there are too many of them, so that leaving moves nobody.
  private(set) var handlers: [Handler]
  private var gone = 0
  private(set) var interested: Int

  init(_ first: Handler, _ second: Handler) {
    handlers = [first, second]
    interested = first.hasLeft ? 1 : 2
  }

  mutating func append(_ handler: Handler) {
    handlers.append(handler)
    interested += 1
  }

  mutating func fill(_ ticket: UInt64, with body: @escaping Handler.Body) -> Bool {
    guard let index = index(of: ticket) else { return false }
    handlers[index].body = body
    return true
  }

  mutating func leave(_ ticket: UInt64) -> Handler? {
    guard let index = index(of: ticket) else { return nil }
    let handler = handlers[index].leave()
    interested -= 1
    if handlers[index].body == nil { gone += 1 }
    if gone > 16, gone * 2 > handlers.count {
      handlers.removeAll { $0.hasLeft && $0.body == nil }
      gone = 0
    }
    return handler
  }

  /// Finds a handler that hasn't left, by halves: the tickets rise.
  private func index(of ticket: UInt64) -> Int? {
    var range = handlers.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if handlers[middle].ticket == ticket { return handlers[middle].hasLeft ? nil : middle }
      range =
        handlers[middle].ticket < ticket
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
