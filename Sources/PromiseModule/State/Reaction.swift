/// What a promise does for one of those who wait for it, once it is settled.
@usableFromInline
struct Reaction: Sendable {
  /// A promise whose audience a reaction is in.
  @usableFromInline typealias Owner = any AnyObject & Sendable

  /// The same promise, lent to its reaction while that runs: counting references takes time.
  @usableFromInline typealias Lender = UnsafeMutableRawPointer

  /// A handler, bound to its promises. In the end it lets the next one of its promise have its turn.
  ///
  /// It is given the promise whose turn it is: a closure that captures one object more needs no memory.
  /// Without a promise it has left, and only frees what it holds; that is asked only of those whose
  /// key says so.
  @usableFromInline typealias Call = @Sendable (Lender?, Lane, inout Worklist) -> Void

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
  /// Runs it, lending it the promise whose turn it is.
  @inlinable
  @inline(__always)
  func run(for lender: Lender?, _ worklist: inout Worklist) {
    if key.resumes {
      Waiter(in: self).continuation.resume()
    } else {
      call(lender, lane, &worklist)
    }
  }

  /// Runs it from outside of any drain.
  @inlinable
  func start(of owner: Owner) {
    var worklist = Worklist(lane: .inline)
    worklist.accept(Due(self, of: owner))
    worklist.drain()
  }
}
