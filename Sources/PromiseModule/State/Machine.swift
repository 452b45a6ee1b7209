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

  // In an order that leaves no gaps: it lies in every promise.
  @usableFromInline var audience = Audience.none
  @usableFromInline var phase: Phase
  /// Whether somebody has asked for the outcome.
  @usableFromInline var isObserved = false
  /// Counts the tasks that have awaited, to tell them apart.
  @usableFromInline var waiters: UInt32 = 0
  @usableFromInline var origin: Origin

  @inlinable
  init(origin: Origin, phase: Phase = .open) {
    self.origin = origin
    self.phase = phase
  }
}

extension Machine {
  /// What is to be done, and to be freed, after a promise was settled.
  ///
  /// It can't be copied, because nothing needs it twice, and each copy would count references.
  @usableFromInline
  struct Settlement: ~Copyable, Sendable {
    @usableFromInline var ready: Ready
    @usableFromInline let former: Origin

    @inlinable
    init(ready: consuming Ready, former: consuming Origin) {
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
    let settled = origin.settled(failure)
    let former = exchange(&origin, with: settled)
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

  /// Adds a reaction: takes it, unless it starts now.
  @inlinable
  @inline(__always)
  mutating func add(_ reaction: inout Reaction?) {
    isObserved = true
    if !addFirst(&reaction) { addToSome(&reaction) }
  }

  /// Adds a reaction if it is the first of a pending promise.
  ///
  /// - Returns: Whether it was, and has been taken.
  @inlinable
  @inline(__always)
  mutating func addFirst(_ reaction: inout Reaction?) -> Bool {
    guard phase != .settled, case .none = audience, let added = reaction.take() else {
      return false
    }
    isObserved = true
    audience = .one(added)
    return true
  }

  @usableFromInline
  mutating func addToSome(_ reaction: inout Reaction?) {
    guard let added = reaction else { return }
    if phase != .settled {
      audience.append(added)
      reaction = nil
    } else if !audience.enter(added) {
      reaction = nil
    }
  }
}
