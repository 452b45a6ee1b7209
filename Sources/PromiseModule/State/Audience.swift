/// Who waits for a promise, in the order in which they came.
///
/// While the promise is pending the reactions collect here. Once it is settled, each lane has at most
/// one of them running; the others of that lane, late ones included, wait for their turn.
@usableFromInline
enum Audience: Sendable {
  case none
  case one(Reaction)
  case many(Crowd)
  /// Settled: one reaction runs on this lane, nobody waits.
  case serving(Lane)
  case servingMany([Turn])

  /// A lane on which a reaction runs, and those behind it.
  @usableFromInline
  struct Turn: Sendable {
    let lane: Lane
    var waiting = Queue<Reaction>()
  }
}

extension Audience {
  /// Adds a reaction of a pending promise.
  mutating func append(_ reaction: Reaction) {
    switch self {
    case .one(let first): self = .many(Crowd(first, reaction))
    case .many(var crowd):
      self = .none
      crowd.append(reaction)
      self = .many(crowd)
    case .none, .serving, .servingMany: self = .one(reaction)
    }
  }

  /// Whether it is one observer's closure.
  @inlinable var isObserver: Bool {
    if case .one(let reaction) = self { reaction.key.isObserver } else { false }
  }

  /// Whether somebody in it still wants the outcome.
  var isInterested: Bool {
    switch self {
    case .one(let reaction): !reaction.key.hasLeft
    case .many(let crowd): crowd.interest > 0
    case .none, .serving, .servingMany: false
    }
  }

  /// Lets the owner of a reaction leave. The reaction goes too, unless it outlasts that.
  ///
  /// - Returns: The reaction, so that it is freed where no lock is held; `nil` if there is none.
  mutating func leave(_ key: Key) -> Reaction? {
    switch self {
    case .one(var only) where only.key.name == key.name && !only.key.hasLeft:
      let reaction = only
      only.key.hasLeft = true
      self = only.key.outlastsCancel ? .one(only) : .none
      return reaction
    case .many(var crowd):
      self = .none
      defer { self = .many(crowd) }
      return crowd.leave(key)
    case .none, .one, .serving, .servingMany: return nil
    }
  }
}
