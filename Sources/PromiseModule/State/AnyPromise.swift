/// A promise, whatever the type of its value.
@usableFromInline
protocol AnyPromise: AnyObject, Sendable {
  var core: Core { get }
}

/// An interest in a promise: the promise, and the number of the handler that waits for it.
@usableFromInline
struct Link: Sendable {
  let promise: any AnyPromise
  let ticket: UInt64

  @usableFromInline
  init(_ promise: any AnyPromise, _ ticket: UInt64) {
    self.promise = promise
    self.ticket = ticket
  }

  func leave(_ worklist: inout Worklist) {
    promise.core.leave(ticket, of: promise, &worklist)
  }
}

/// The promises that a promise waits for.
enum Parents: Sendable {
  case none
  /// A parent whose first handler feeds the child. This is the usual case, and needs no ticket.
  case first(any AnyPromise)
  case many([Link])
}

extension Parents {
  init(_ link: Link) {
    self = link.ticket == Machine.firstTicket ? .first(link.promise) : .many([link])
  }

  var links: [Link] {
    switch self {
    case .none: []
    case .first(let parent): [Link(parent, Machine.firstTicket)]
    case .many(let links): links
    }
  }

  /// The one parent, if there are no others.
  var only: (any AnyPromise)? {
    switch self {
    case .none: nil
    case .first(let parent): parent
    case .many(let links): links.count == 1 ? links[0].promise : nil
    }
  }
}
