/// Where a reaction runs, erased to two words. No executor means inline.
@usableFromInline
struct Lane: Sendable, Equatable {
  @usableFromInline let executor: (any PromiseExecutor)?

  @inlinable
  init<E: PromiseExecutor>(_ executor: E) {
    self.executor = E.self == InlineExecutor.self ? nil : executor
  }

  @inlinable
  init(inline: Void) {
    executor = nil
  }

  @inlinable static var inline: Lane { Lane(inline: ()) }

  @inlinable
  static func == (left: Lane, right: Lane) -> Bool {
    left.executor === right.executor
  }
}
