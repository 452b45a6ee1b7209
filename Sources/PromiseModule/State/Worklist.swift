/// The reactions that one outside event has made ready on one lane, run in a loop.
///
/// A reaction that settles another promise adds to the list instead of calling deeper, so a chain of
/// any length needs one hop and constant stack.
@usableFromInline
struct Worklist {
  @usableFromInline let lane: Lane
  @usableFromInline var next: Reaction?
  @usableFromInline var later = Queue<Reaction>()

  @usableFromInline
  init(lane: Lane) {
    self.lane = lane
  }

  /// Takes a reaction that is ready: runs it in this loop, or sends it to its own lane.
  @usableFromInline
  mutating func accept(_ reaction: Reaction) {
    switch reaction.action {
    case .resume(let continuation):
      continuation.resume()
    case .call:
      if let executor = reaction.lane.executor, reaction.lane != lane {
        executor.schedule { Self.run(reaction) }
      } else if next == nil, later.isEmpty {
        next = reaction
      } else {
        later.append(reaction)
      }
    }
  }

  /// Runs what is ready until nothing is.
  @usableFromInline
  mutating func drain() {
    while let reaction = takeNext() {
      perform(reaction)
    }
  }

  /// Runs one reaction and all that it makes ready, on the lane it asks for.
  static func run(_ reaction: Reaction) {
    var worklist = Worklist(lane: reaction.lane)
    worklist.perform(reaction)
    worklist.drain()
  }

  private mutating func takeNext() -> Reaction? {
    guard let reaction = next else { return later.popFirst() }
    next = later.popFirst()
    return reaction
  }

  private mutating func perform(_ reaction: Reaction) {
    var current = Optional(reaction)
    while let reaction = current.take(), case .call(let call) = reaction.action {
      current = call(reaction.lane, &self)
    }
  }
}

extension Worklist {
  /// Takes all that settling a promise has made ready.
  @inlinable
  mutating func accept(_ ready: Ready) {
    switch ready {
    case .none: break
    case .one(let reaction): accept(reaction)
    case .many(let reactions): for reaction in reactions { accept(reaction) }
    }
  }
}
