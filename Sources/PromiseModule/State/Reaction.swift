/// What a promise does for one of those who wait for it, once it is settled.
@usableFromInline
struct Reaction: Sendable {
  /// A handler, bound to its promises. In the end it lets the next one of its promise have its turn.
  @usableFromInline typealias Call = @Sendable (Lane, inout Worklist) -> Void

  @usableFromInline
  enum Action: Sendable {
    case call(Call)
    /// A task that awaits. Resuming runs none of its code here, so it needs neither lane nor turn.
    case resume(UnsafeContinuation<Void, Never>)
  }

  @usableFromInline let lane: Lane
  @usableFromInline let action: Action
  @usableFromInline var key: Key

  @inlinable
  init(_ lane: Lane, key: Key, _ call: @escaping Call) {
    self.lane = lane
    self.key = key
    action = .call(call)
  }

  @inlinable
  init(resuming continuation: UnsafeContinuation<Void, Never>, key: Key) {
    lane = .inline
    self.key = key
    action = .resume(continuation)
  }
}

extension Reaction {
  /// Runs it from outside of any drain.
  @usableFromInline
  func start() {
    var worklist = Worklist(lane: .inline)
    worklist.accept(self)
    worklist.drain()
  }
}
