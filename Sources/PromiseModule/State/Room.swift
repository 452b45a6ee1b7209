/// Two words in a promise, for its value, and before that for the step that makes it.
@usableFromInline
struct Room: Sendable {
  @usableFromInline var words: (UInt64, UInt64) = (0, 0)

  @inlinable
  init() {}
}
