/// What another promise waits for: a promise, or work on behalf of one.
@usableFromInline
protocol Parent: AnyObject, Sendable {
  /// Takes one interest back. When it was the last one, the parent is cancelled, and what follows
  /// from that, here and further up, joins the worklist.
  func leave(_ ticket: UInt64, _ worklist: inout Worklist)

  /// What the parent waits for itself.
  var ancestors: Parents { get }
}

/// A parent, and the number of the handler there that feeds the child.
@usableFromInline
struct Link: Sendable {
  let parent: any Parent
  let ticket: UInt64

  init(_ parent: any Parent, _ ticket: UInt64) {
    self.parent = parent
    self.ticket = ticket
  }
}

/// The parents of a promise.
@usableFromInline
enum Parents: Sendable {
  case none
  /// A parent whose first handler feeds the child. Most are, and that saves the room for a number.
  case first(any Parent)
  case many([Link])
}

extension Parents {
  init(_ link: Link) {
    self = link.ticket == Machine.firstTicket ? .first(link.parent) : .many([link])
  }

  /// The one parent, if there are no others.
  var only: (any Parent)? {
    switch self {
    case .none: nil
    case .first(let parent): parent
    case .many(let links): links.count == 1 ? links[0].parent : nil
    }
  }
}

extension Parent {
  /// Returns whether this waits for another one, and for nothing else.
  ///
  /// What waits for several, as `race` does, may settle without the other one.
  func waits(for target: any Parent) -> Bool {
    var next = ancestors.only
    while let parent = next {
      if parent === target { return true }
      next = parent.ancestors.only
    }
    return false
  }
}

/// A promise, whatever the type of its value.
@usableFromInline
protocol AnyPromise: Parent {
  /// Returns the outcome to somebody who asks for it.
  func observe() -> Outcome?

  /// The error of a promise that is rejected.
  var failure: (any Error)? { get }

  /// Adds a handler inside a drain, whose worklist it joins if the promise is settled.
  ///
  /// - Returns: The number of the handler, if it waits for the promise.
  func add(_ handler: consuming Handler, _ worklist: inout Worklist) -> UInt64?

  /// Ends the turn of a handler of the settled promise.
  ///
  /// - Returns: The next one on that executor.
  func advance(on executor: (any PromiseExecutor)?) -> Handler?
}
