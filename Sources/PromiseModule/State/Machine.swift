/// The rules of a promise as a value: every method changes the state and returns what is to be done.
///
/// Nothing here calls out, and nothing depends on the type of the value, which ``Promise`` keeps
/// beside it: so this is compiled once, and freeing it asks the runtime for no generic type.
@usableFromInline
struct Machine {
  @usableFromInline
  enum Phase: UInt8, Sendable {
    /// Pending, and free to be resolved.
    case open
    /// Pending, and bound to another promise: only that one, or a cancel, settles it.
    case bound
    case settled
  }

  @usableFromInline var audience = Audience.none
  @usableFromInline var origin: Origin
  @usableFromInline var phase: Phase
  /// Whether somebody has asked for the outcome.
  @usableFromInline var isObserved = false
  /// Counts the tasks that have awaited, to tell them apart.
  @usableFromInline var waiters: UInt32 = 0

  @inlinable
  init(origin: Origin, phase: Phase = .open) {
    self.origin = origin
    self.phase = phase
  }
}

extension Machine {
  /// What is to be done, and to be freed, after a promise was settled.
  @usableFromInline
  struct Settlement: Sendable {
    @usableFromInline var ready: Ready
    @usableFromInline let former: Origin

    @inlinable
    init(ready: Ready, former: Origin) {
      self.ready = ready
      self.former = former
    }
  }

  /// Settles the promise.
  ///
  /// - Parameters:
  ///   - failure: The error; `nil` when a value has come.
  ///   - asBound: Whether the outcome comes from the promise it is bound to, or a cancel.
  /// - Returns: What is to be done; `nil` if it was settled, or bound, before.
  @inlinable
  @inline(__always)
  mutating func settle(_ failure: (any Error)?, asBound: Bool) -> Settlement? {
    guard phase == .open || (asBound && phase == .bound) else { return nil }
    phase = .settled
    let former = origin
    origin = former.settled(failure)
    return Settlement(ready: audience.open(), former: former)
  }

  /// Binds the promise to another one, once.
  ///
  /// - Returns: The origin it had, for the caller to free; `nil` if it wasn't free to be bound.
  @usableFromInline
  mutating func bind(to other: any AnyObject & Sendable) -> Origin? {
    guard phase == .open else { return nil }
    phase = .bound
    let former = origin
    if case .more(var more) = former {
      more.upstream = other
      origin = .more(more)
    } else {
      origin = .upstream(other)
    }
    return former
  }

  /// Adds a reaction.
  ///
  /// - Returns: Whether it starts now.
  @inlinable
  @inline(__always)
  mutating func add(_ reaction: Reaction) -> Bool {
    isObserved = true
    if phase != .settled, case .none = audience {
      audience = .one(reaction)
      return false
    }
    return addToSome(reaction)
  }

  @usableFromInline
  mutating func addToSome(_ reaction: Reaction) -> Bool {
    guard phase != .settled else { return audience.enter(reaction) }
    audience.append(reaction)
    return false
  }
}
