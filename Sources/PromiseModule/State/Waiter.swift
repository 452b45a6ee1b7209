/// A task that waits.
///
/// As large as a closure, so that a reaction can hold it without memory of its own. The second word is
/// where a closure has its memory; zero is none.
@usableFromInline
struct Waiter: Sendable {
  @usableFromInline let continuation: UnsafeContinuation<Void, Never>
  @usableFromInline let none: UInt

  @inlinable
  init(_ continuation: UnsafeContinuation<Void, Never>) {
    self.continuation = continuation
    none = 0
  }

  @inlinable
  init(in reaction: Reaction) {
    self = unsafeBitCast(Erased(reaction.call), to: Waiter.self)
  }

  @inlinable
  func reaction(_ key: Key) -> Reaction {
    Reaction(.inline, key: key, unsafeBitCast(self, to: Erased.self).call)
  }
}
