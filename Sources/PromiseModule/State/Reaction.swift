/// What a promise does for one of those who wait for it, once it is settled.
@usableFromInline
struct Reaction: Sendable {
  /// A handler, bound to its promises. It returns the same promise's next reaction on that lane.
  @usableFromInline typealias Call = @Sendable (Lane, inout Worklist) -> Reaction?

  @usableFromInline
  enum Action: Sendable {
    case call(Call)
    /// A task that awaits. Resuming runs none of its code here, so it needs neither lane nor turn.
    case resume(UnsafeContinuation<Void, Never>)
  }

  @usableFromInline let lane: Lane
  @usableFromInline let action: Action
  /// Names the reaction within its promise: the address of the promise that it feeds, or an odd
  /// number for a task that awaits.
  @usableFromInline let key: UInt
  /// Whether it stays when the promise that it feeds is cancelled: `finally` and `catch` watch the
  /// outcome for their own sake.
  @usableFromInline let outlastsCancel: Bool

  @inlinable
  init(_ lane: Lane, for child: AnyObject, outlastsCancel: Bool = false, _ call: @escaping Call) {
    self.lane = lane
    key = UInt(bitPattern: ObjectIdentifier(child))
    self.outlastsCancel = outlastsCancel
    action = .call(call)
  }

  @inlinable
  init(resuming continuation: UnsafeContinuation<Void, Never>, key: UInt) {
    self.key = key
    lane = .inline
    outlastsCancel = false
    action = .resume(continuation)
  }
}
