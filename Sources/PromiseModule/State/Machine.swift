/// The rules of a promise as a value: every method changes the state and returns what is to be done.
///
/// Nothing here calls out. ``Promise`` holds one machine in a lock, and acts when it has let go.
@usableFromInline
struct Machine<Value: Sendable> {
  @usableFromInline
  enum Phase: UInt8, Sendable {
    /// Pending, and free to be resolved.
    case open
    /// Pending, and bound to another promise: only that one, or a cancel, settles it.
    case bound
    case settled
  }

  @usableFromInline var phase = Phase.open
  /// Whether somebody has asked for the outcome.
  @usableFromInline var isObserved = false
  /// How many of the audience haven't left.
  @usableFromInline var interest: UInt32 = 0
  @usableFromInline var waiters: UInt32 = 0
  @usableFromInline var audience = Audience.none
  /// Where this promise gets its outcome from, and gives up its interest when it is cancelled.
  @usableFromInline var upstream: (any Upstream)?
  @usableFromInline var cancelHooks: [@Sendable () -> Void] = []
  @usableFromInline var result: Result<Value, any Error>?

  @inlinable
  init(upstream: (any Upstream)?) {
    self.upstream = upstream
  }

  @inlinable
  init(_ result: Result<Value, any Error>) {
    self.result = result
    phase = .settled
  }
}

/// What is to be done, and to be freed, after a promise was settled.
@usableFromInline
struct Settlement: Sendable {
  @usableFromInline let ready: Ready
  @usableFromInline let upstream: (any Upstream)?
  @usableFromInline let cancelHooks: [@Sendable () -> Void]

  @inlinable
  init(
    ready: Ready, upstream: (any Upstream)?, cancelHooks: [@Sendable () -> Void]
  ) {
    self.ready = ready
    self.upstream = upstream
    self.cancelHooks = cancelHooks
  }
}

extension Machine {
  /// Settles the promise.
  ///
  /// - Parameter asBound: Whether the outcome comes from the promise it is bound to, or a cancel.
  /// - Returns: What is to be done; `nil` if it was settled, or bound, before.
  @inlinable
  mutating func settle(_ outcome: Result<Value, any Error>, asBound: Bool) -> Settlement? {
    guard phase == .open || (asBound && phase == .bound) else { return nil }
    phase = .settled
    result = outcome
    return Settlement(
      ready: audience.open(), upstream: upstream.take(), cancelHooks: cancelHooks.take())
  }

  /// Binds the promise to another one, once.
  ///
  /// - Returns: The upstream it had, for the caller to free, and whether it was free to be bound.
  @inlinable
  mutating func bind(to other: any Upstream) -> (bound: Bool, former: (any Upstream)?) {
    guard phase == .open else { return (false, nil) }
    phase = .bound
    let former = upstream
    upstream = other
    return (true, former)
  }

  /// Adds a reaction.
  ///
  /// - Returns: Whether it starts now.
  @inlinable
  mutating func add(_ reaction: Reaction) -> Bool {
    isObserved = true
    guard phase != .settled else { return audience.enter(reaction) }
    interest += 1
    audience.append(reaction)
    return false
  }

  /// Makes a key for a task that is about to await.
  @inlinable
  mutating func makeWaiterKey() -> UInt {
    waiters &+= 1
    return UInt(waiters) << 1 | 1
  }

  /// Adds what is called when the promise is cancelled.
  ///
  /// - Returns: Whether it is to be called at once.
  @inlinable
  mutating func addCancelHook(_ hook: @escaping @Sendable () -> Void) -> Bool {
    if phase != .settled { cancelHooks.append(hook) }
    if case .failure(let error) = result { return error is CancellationError }
    return false
  }
}

/// What the departure of one of the audience leads to.
@usableFromInline
struct Departure: Sendable {
  /// The reaction that has left, if it was there.
  @usableFromInline let reaction: Reaction?
  /// What is to be done if it was the last one: the promise has been cancelled.
  @usableFromInline let cancelled: Settlement?

  @inlinable
  init(_ reaction: Reaction?, cancelled: Settlement?) {
    self.reaction = reaction
    self.cancelled = cancelled
  }
}

extension Machine {
  /// Lets one of the audience of a pending promise go, and cancels it after the last.
  @inlinable
  mutating func leave(_ key: UInt) -> Departure {
    guard phase != .settled, let reaction = audience.remove(key) else {
      return Departure(nil, cancelled: nil)
    }
    interest -= 1
    let cancelled =
      interest == 0 ? settle(.failure(CancellationError()), asBound: true) : nil
    return Departure(reaction, cancelled: cancelled)
  }
}

extension Array {
  /// Empties the array and returns what was in it.
  @inlinable
  mutating func take() -> Self {
    let all = self
    self = []
    return all
  }
}
