/// The reactions that one outside event has made ready on one lane, run in a loop.
///
/// A reaction that settles another promise adds to the list instead of calling deeper, so a chain of
/// any length needs one hop and constant stack.
@usableFromInline
struct Worklist {
  @usableFromInline let lane: Lane
  /// The reaction whose turn comes before all others: it belongs to the promise just served.
  @usableFromInline var turn: Reaction?
  @usableFromInline var next: Reaction?
  /// What comes after `next`; a plain chain never needs it.
  @usableFromInline var rest: Rest?

  @usableFromInline
  final class Rest {
    var later = Queue<Reaction>()
    /// The promises that are to be told that somebody has left, before any reaction runs.
    var departures: [(from: any Upstream, key: Key)] = []
  }

  @inlinable
  init(lane: Lane) {
    self.lane = lane
  }
}

extension Worklist {
  /// Takes a reaction that is ready: runs it in this loop, or sends it to its own lane.
  @inlinable
  mutating func accept(_ reaction: consuming Reaction) {
    if next == nil, rest == nil, !reaction.key.resumes, runsHere(reaction.lane) {
      next = reaction
    } else {
      acceptAnother(reaction)
    }
  }

  @inlinable
  func runsHere(_ other: Lane) -> Bool { other.object == nil || other == lane }

  @usableFromInline
  mutating func acceptAnother(_ reaction: Reaction) {
    if reaction.key.resumes {
      reaction.call(reaction.lane, &self)
    } else if !runsHere(reaction.lane) {
      Self.send(reaction)
    } else if next == nil, rest?.later.isEmpty ?? true {
      next = reaction
    } else {
      makeRest().later.append(reaction)
    }
  }

  /// Takes all that settling a promise has made ready.
  @inlinable
  mutating func accept(_ ready: consuming Ready) {
    switch consume ready {
    case .none: break
    case .one(let reaction): accept(reaction)
    case .many(let reactions): for reaction in reactions { acceptAnother(reaction) }
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
    if next != nil || rest != nil { drainAll() }
  }

  @usableFromInline
  mutating func drainAll() {
    repeat {
      while let (upstream, key) = rest?.departures.popLast() { upstream.leave(key, &self) }
      guard let reaction = next.take() else { return }
      reaction.call(reaction.lane, &self)
      while let reaction = turn.take() { reaction.call(reaction.lane, &self) }
      if next == nil, let rest { next = rest.later.popFirst() }
    } while next != nil || !(rest?.departures.isEmpty ?? true)
  }

  /// Sends a reaction to its lane, where a worklist of its own begins.
  private static func send(_ reaction: Reaction) {
    let executor = reaction.lane.executor ?? InlineExecutor.shared
    executor.schedule {
      var worklist = Worklist(lane: reaction.lane)
      worklist.next = reaction
      worklist.drainAll()
    }
  }
}
