public import Dispatch

/// Where a reaction runs, erased to one word. No executor means inline.
@usableFromInline
struct Lane: Sendable, Equatable {
  /// A ``PromiseExecutor``, without its witness table: the word is worth more in every promise than
  /// the look-up before a hop, which the usual executors don't need.
  @usableFromInline let object: (any AnyObject & Sendable)?

  @inlinable
  init<E: PromiseExecutor>(_ executor: E) {
    if let queue = executor as? DispatchQueue {
      object = queue.canonical
    } else {
      object = E.self == InlineExecutor.self ? nil : executor
    }
  }

  @inlinable
  init(inline: Void) {
    object = nil
  }

  @inlinable static var inline: Lane { Lane(inline: ()) }

  @inlinable
  static func == (left: Lane, right: Lane) -> Bool {
    left.object === right.object
  }

  /// The executor; `nil` for inline.
  var executor: (any PromiseExecutor)? {
    if object === BackgroundExecutor.shared { return BackgroundExecutor.shared }
    // To a class, a cast compares pointers; to a protocol, it asks the runtime who conforms.
    if let queue = object as? DispatchQueue { return queue }
    return object as? any PromiseExecutor
  }
}
