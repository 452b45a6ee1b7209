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
  @usableFromInline var later = Queue<Reaction>()
  /// The promises that are to be told that somebody has left, before any reaction runs.
  @usableFromInline var departures: [(from: any Upstream, key: Key)] = []

  @inlinable
  init(lane: Lane) {
    self.lane = lane
  }

  /// Takes a reaction that is ready: runs it in this loop, or sends it to its own lane.
  @usableFromInline
  mutating func accept(_ reaction: consuming Reaction) {
    switch reaction.action {
    case .resume(let continuation):
      continuation.resume()
    case .call:
      if reaction.lane.object != nil, reaction.lane != lane {
        Self.send(reaction)
      } else if next == nil, later.isEmpty {
        next = reaction
      } else {
        later.append(reaction)
      }
    }
  }

  /// Takes all that settling a promise has made ready.
  @inlinable
  mutating func accept(_ ready: consuming Ready) {
    switch ready {
    case .none: break
    case .one(let reaction): accept(reaction)
    case .many(let reactions): for reaction in reactions { accept(reaction) }
    }
  }

  /// Notes that somebody leaves the audience of a promise.
  @usableFromInline
  mutating func depart(from upstream: (any Upstream)?, _ key: Key) {
    if let upstream { departures.append((upstream, key)) }
  }

  /// Runs what is ready until nothing is.
  @inlinable
  mutating func drain() {
    if next != nil || !departures.isEmpty { drainAll() }
  }

  @usableFromInline
  mutating func drainAll() {
    repeat {
      while let (upstream, key) = departures.popLast() { upstream.leave(key, &self) }
      guard let reaction = next.take() else { return }
      perform(reaction)
      while let reaction = turn.take() { perform(reaction) }
      if next == nil { next = later.popFirst() }
    } while next != nil || !departures.isEmpty
  }

  private mutating func perform(_ reaction: consuming Reaction) {
    if case .call(let call) = reaction.action { call(reaction.lane, &self) }
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
