import Synchronization

/// The inline handlers that are added to settled promises inside another such handler.
///
/// They run right after it and not inside of it, so that a function that calls itself by way of `then`
/// needs constant stack.
final class InlineCalls: Sendable {
  /// Those of the handler that is running. A task that the handler starts inherits them; when the
  /// handler is over they take no more.
  @TaskLocal private static var current: InlineCalls?

  private let waiting = Mutex<Queue<Turn>?>(Queue())

  private init() {}

  static func run(_ turn: Turn) {
    if let current, current.append(turn) { return }
    let calls = InlineCalls()
    $current.withValue(calls) {
      var next: Turn? = turn
      while let turn = next {
        var worklist = Worklist()
        worklist.accept(turn)
        worklist.drain()
        next = calls.popFirst()
      }
    }
  }

  private func append(_ turn: Turn) -> Bool {
    waiting.withLock { waiting in
      waiting?.append(turn)
      return waiting != nil
    }
  }

  private func popFirst() -> Turn? {
    waiting.withLock { waiting in
      let next = waiting?.popFirst()
      if next == nil { waiting = nil }
      return next
    }
  }
}
