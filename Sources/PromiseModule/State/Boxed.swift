/// A value that is too large for the room.
@usableFromInline
final class Boxed<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
  }
}
