/// The reactions that one outside event has made ready on one lane, run in a loop.
///
/// A reaction that settles another promise adds to the list instead of calling deeper, so a chain of
/// any length needs one hop and constant stack.
@usableFromInline
struct Worklist {
  @usableFromInline let lane: Lane
  /// The reaction whose turn comes before all others: it belongs to the promise just served.
  @usableFromInline var turn: Due?
  @usableFromInline var next: Due?
  /// What comes after `next`; a plain chain never needs it.
  @usableFromInline var rest: Rest?

  @usableFromInline
  final class Rest {
    var later = Queue<Due>()
    /// The promises that are to be told that somebody has left, before any reaction runs.
    var departures: [(from: any Upstream, key: Key)] = []

    var isEmpty: Bool { later.isEmpty && departures.isEmpty }
  }

  @inlinable
  init(lane: Lane) {
    self.lane = lane
  }
}

extension Worklist {
  /// Takes a reaction that is ready: runs it in this loop, or sends it to its own lane.
  @inlinable
  @inline(__always)
  mutating func accept(_ due: consuming Due) {
    if next == nil, rest == nil, !due.reaction.key.resumes, runsHere(due.reaction.lane) {
      next = due
    } else {
      acceptAnother(due)
    }
  }

  @inlinable
  func runsHere(_ other: Lane) -> Bool { other.object == nil || other == lane }

  @usableFromInline
  mutating func acceptAnother(_ due: Due) {
    if due.reaction.key.resumes {
      due.run(&self)
    } else if !runsHere(due.reaction.lane) {
      Self.send(due)
    } else if next == nil, rest?.later.isEmpty ?? true {
      next = due
    } else {
      makeRest().later.append(due)
    }
  }

  /// Notes that somebody leaves the audience of a promise.
  @usableFromInline
  mutating func depart(from upstream: (any Upstream)?, _ key: Key) {
    if let upstream { makeRest().departures.append((upstream, key)) }
  }

  private mutating func makeRest() -> Rest {
    if let rest { return rest }
    let made = Rest()
    rest = made
    return made
  }
}

extension Worklist {
  /// Runs what is ready until nothing is.
  @inlinable
  mutating func drain() {
    if next != nil || turn != nil || rest != nil { drainAll() }
  }

  @usableFromInline
  mutating func drainAll() {
    repeat {
      while let due = turn.take() { due.run(&self) }
      if next == nil, let rest { next = rest.later.popFirst() }
      while let (upstream, key) = rest?.departures.popLast() { upstream.leave(key, &self) }
      if let due = next.take() { due.run(&self) }
    } while turn != nil || next != nil || rest?.isEmpty == false
  }

  /// Sends a reaction to its lane, where a worklist of its own begins.
  private static func send(_ due: Due) {
    let executor = due.reaction.lane.executor ?? InlineExecutor.shared
    executor.schedule {
      var worklist = Worklist(lane: due.reaction.lane)
      worklist.next = due
      worklist.drainAll()
    }
  }
}
