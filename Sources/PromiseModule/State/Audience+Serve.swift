/// The reactions that may start now.
@usableFromInline
enum Ready: ~Copyable, Sendable {
  case none
  case one(Reaction)
  case many([Reaction])
}

extension Audience {
  /// Turns from collecting to serving: the first reaction of each lane starts.
  @inlinable
  @inline(__always)
  mutating func open() -> Ready {
    switch self {
    case .none: return .none
    case .one:
      guard case .one(let reaction) = exchange(&self, with: .none) else { return .none }
      if !reaction.key.resumes { self = .serving(reaction.lane) }
      return .one(reaction)
    case .many, .serving, .servingMany: return openMany()
    }
  }

  @usableFromInline
  mutating func openMany() -> Ready {
    guard case .many(let crowd) = self else { return .none }
    self = .none
    return .many(crowd.reactions.filter { enter($0) })
  }

  /// Lets a reaction of a settled promise start, or queues it behind those of its lane.
  ///
  /// - Returns: Whether it starts.
  @inlinable
  mutating func enter(_ reaction: Reaction) -> Bool {
    if case .none = self, !reaction.key.resumes {
      self = .serving(reaction.lane)
      return true
    }
    return enterServed(reaction)
  }

  @usableFromInline
  mutating func enterServed(_ reaction: Reaction) -> Bool {
    if reaction.key.resumes { return true }
    switch self {
    case .none, .one, .many:
      self = .serving(reaction.lane)
      return true
    case .serving(let lane):
      self = .servingMany([Turn(lane: lane)])
      return enterServed(reaction)
    case .servingMany(var turns):
      self = .none
      defer { self = .servingMany(turns) }
      if let index = turns.firstIndex(where: { $0.lane == reaction.lane }) {
        turns[index].waiting.append(reaction)
        return false
      }
      turns.append(Turn(lane: reaction.lane))
      return true
    }
  }

  /// Ends the turn of the reaction that ran on a lane.
  ///
  /// - Returns: The next one on that lane.
  @inlinable
  mutating func advance(_ lane: Lane) -> Reaction? {
    if case .serving = self {
      self = .none
      return nil
    }
    return advanceMany(lane)
  }

  @usableFromInline
  mutating func advanceMany(_ lane: Lane) -> Reaction? {
    guard case .servingMany(var turns) = self,
      let index = turns.firstIndex(where: { $0.lane == lane })
    else { return nil }
    self = .none
    let next = turns[index].waiting.popFirst()
    if next == nil { turns.remove(at: index) }
    if !turns.isEmpty { self = .servingMany(turns) }
    return next
  }
}
