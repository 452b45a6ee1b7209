/// What a promise does for one of those who wait for it, once it is settled.
@usableFromInline
struct Reaction: Sendable {
  /// A handler, bound to its promises. In the end it lets the next one of its promise have its turn.
  @usableFromInline typealias Call = @Sendable (Lane, inout Worklist) -> Void

  @usableFromInline let lane: Lane
  @usableFromInline let call: Call
  @usableFromInline var key: Key

  @inlinable
  init(_ lane: Lane, key: Key, _ call: @escaping Call) {
    self.lane = lane
    self.key = key
    self.call = call
  }
}

extension Reaction {
  /// Runs it from outside of any drain.
  @inlinable
  func start() {
    var worklist = Worklist(lane: .inline)
    worklist.accept(self)
    worklist.drain()
  }
}
