/// Who waits for a promise, in the order in which they came.
///
/// While the promise is pending the reactions collect here. Once it is settled, each lane has at most
/// one of them running; the others of that lane, late ones included, wait for their turn.
@usableFromInline
enum Audience: Sendable {
  case none
  case one(Reaction)
  case many([Reaction])
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
  @inlinable
  mutating func append(_ reaction: Reaction) {
    if case .none = self { self = .one(reaction) } else { appendToSome(reaction) }
  }

  @usableFromInline
  mutating func appendToSome(_ reaction: Reaction) {
    switch self {
    case .one(let first): self = .many([first, reaction])
    case .many(var all):
      self = .none
      all.append(reaction)
      self = .many(all)
    case .none, .serving, .servingMany: self = .one(reaction)
    }
  }

  /// Takes out the reaction of a child that leaves.
  ///
  /// - Returns: The reaction, so that it is freed where no lock is held; `nil` if there is none.
  @usableFromInline
  mutating func remove(_ key: UInt) -> Reaction? {
    switch self {
    case .one(let only) where only.key == key:
      if !only.outlastsCancel { self = .none }
      return only
    case .many(var all):
      guard let index = all.firstIndex(where: { $0.key == key }) else { return nil }
      self = .none
      let reaction = all[index]
      if !reaction.outlastsCancel { all.remove(at: index) }
      self = .many(all)
      return reaction
    case .none, .one, .serving, .servingMany: return nil
    }
  }
}
