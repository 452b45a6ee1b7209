/// Two words that a reaction holds in place of its call, of which only the key says what they are.
@usableFromInline
struct Erased: Sendable {
  @usableFromInline let call: Reaction.Call

  @inlinable
  init(_ call: @escaping Reaction.Call) {
    self.call = call
  }
}
