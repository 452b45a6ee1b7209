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
  @usableFromInline let parent: any Parent
  @usableFromInline let ticket: UInt64

  @usableFromInline
  init(_ parent: any Parent, _ ticket: UInt64) {
    self.parent = parent
    self.ticket = ticket
  }
}

/// The parents of a promise.
@usableFromInline
enum Parents: Sendable {
  case none
  case one(Link)
  case many([Link])
}

extension Parent {
  /// Returns whether this waits for another one, and for nothing else.
  ///
  /// What waits for several, as `race` does, may settle without the other one.
  func waits(for target: any Parent) -> Bool {
    var parents = ancestors
    while case .one(let link) = parents {
      if link.parent === target { return true }
      parents = link.parent.ancestors
    }
    return false
  }
}
