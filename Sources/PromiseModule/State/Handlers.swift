/// Who waits for a promise.
///
/// While the promise is pending they collect here. Once it is settled, each executor has at most one
/// handler of the promise running; the others on that executor, late ones included, wait their turn.
enum Handlers: ~Copyable, Sendable {
  case none
  /// Pending, with one handler.
  case one(Handler)
  case many(HandlerList)
  /// Settled: a handler runs on this executor, and none waits.
  case running((any PromiseExecutor)?)
  case queued([HandlerQueue])
}

/// The handlers of a settled promise that wait for the one that runs on their executor.
struct HandlerQueue: Sendable {
  let executor: (any PromiseExecutor)?
  var waiting = Queue<Handler>()
}

/// The handlers that may start, one for each executor.
enum Ready: ~Copyable, Sendable {
  case none
  case one(Handler)
  case many([Handler])
}

// MARK: Pending

extension Handlers {
  mutating func append(_ handler: consuming Handler) {
    switch exchange(&self, with: .none) {
    case .one(let first): self = .many(HandlerList(first, handler))
    case .many(var list):
      list.append(handler)
      self = .many(list)
    default: self = .one(handler)
    }
  }

  mutating func fill(_ ticket: UInt64, with body: @escaping Handler.Body) -> Bool {
    switch exchange(&self, with: .none) {
    case .one(var handler):
      let isThere = handler.ticket == ticket && !handler.hasLeft
      if isThere { handler.body = body }
      self = .one(handler)
      return isThere
    case .many(var list):
      let isThere = list.fill(ticket, with: body)
      self = .many(list)
      return isThere
    default: return false
    }
  }

  /// Ends the interest of a handler. The handler goes, too, unless it is a watcher's.
  ///
  /// - Returns: The handler; `nil` if it isn't there.
  mutating func leave(_ ticket: UInt64) -> Handler? {
    switch exchange(&self, with: .none) {
    case .one(var only):
      let isThere = only.ticket == ticket && !only.hasLeft
      let handler = isThere ? only.leave() : nil
      if !isThere || only.body != nil { self = .one(only) }
      return handler
    case .many(var list):
      let handler = list.leave(ticket)
      self = .many(list)
      return handler
    default: return nil
    }
  }

  /// Whether somebody wants the outcome of the pending promise.
  var hasInterest: Bool {
    switch self {
    case .one(let handler): return !handler.hasLeft
    case .many(let list): return list.interested > 0
    default: return false
    }
  }

  var isEmpty: Bool {
    switch self {
    case .none: return true
    default: return false
    }
  }
}

// MARK: Settled

extension Handlers {
  /// Turns from collecting to serving: the first handler of each executor starts.
  mutating func open() -> Ready {
    switch exchange(&self, with: .none) {
    case .one(let handler):
      if handler.body == nil { return .none }
      self = .running(handler.executor)
      return .one(handler)
    case .many(let list):
      return .many(list.handlers.filter { $0.body != nil && enter($0) })
    default: return .none
    }
  }

  /// Lets a handler of the settled promise start, or queues it behind those on its executor.
  ///
  /// - Returns: Whether it starts.
  mutating func enter(_ handler: Handler) -> Bool {
    switch exchange(&self, with: .none) {
    case .running(let executor):
      self = .queued([HandlerQueue(executor: executor)])
      return enter(handler)
    case .queued(var queues):
      let index = queues.firstIndex { $0.executor === handler.executor }
      if let index {
        queues[index].waiting.append(handler)
      } else {
        queues.append(HandlerQueue(executor: handler.executor))
      }
      self = .queued(queues)
      return index == nil
    default:
      self = .running(handler.executor)
      return true
    }
  }

  /// Ends the turn of the handler that ran on an executor.
  ///
  /// - Returns: The next one on that executor.
  mutating func advance(on executor: (any PromiseExecutor)?) -> Handler? {
    guard case .queued(var queues) = exchange(&self, with: .none) else { return nil }
    guard let index = queues.firstIndex(where: { $0.executor === executor }) else { return nil }
    let next = queues[index].waiting.popFirst()
    if next == nil { queues.remove(at: index) }
    if !queues.isEmpty { self = .queued(queues) }
    return next
  }
}

/// First in, first out, in amortised constant time; empty, it owns no memory.
struct Queue<Element: Sendable>: Sendable {
  private var outgoing: [Element] = []
  private var incoming: [Element] = []

  var isEmpty: Bool { outgoing.isEmpty && incoming.isEmpty }

  mutating func append(_ element: Element) {
    incoming.append(element)
  }

  mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      swap(&outgoing, &incoming)
      outgoing.reverse()
    }
    return outgoing.popLast()
  }
}
