/// What a promise derived from another does with the value of that one.
@usableFromInline
struct Step<Input, Output>: Sendable {
  @usableFromInline let run: @Sendable (Input) throws -> Output

  @inlinable
  init(_ run: @escaping @Sendable (Input) throws -> Output) {
    self.run = run
  }
}
