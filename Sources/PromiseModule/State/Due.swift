/// A reaction whose time has come, and the promise whose turn it is.
@usableFromInline
struct Due: Sendable {
  @usableFromInline let reaction: Reaction
  @usableFromInline let owner: Reaction.Owner?

  @inlinable
  init(_ reaction: Reaction, of owner: Reaction.Owner?) {
    self.reaction = reaction
    self.owner = owner
  }

  @inlinable
  @inline(__always)
  func run(_ worklist: inout Worklist) {
    let lender = owner.map { Unmanaged.passUnretained($0 as AnyObject).toOpaque() }
    reaction.run(for: lender, &worklist)
    withExtendedLifetime(owner) {}
  }
}
