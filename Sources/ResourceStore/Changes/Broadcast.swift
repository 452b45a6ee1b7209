internal import Synchronization

/// Sends each element to all streams created so far, until it is finished.
package final class Broadcast<Element: Sendable>: Sendable {
  private let state = Mutex(State())

  package init() {}

  private struct State {
    var receivers: [Int: Receiver] = [:]
    var lastID = 0
    var isFinished = false
  }

  private struct Receiver: Sendable {
    let receive: @Sendable (Element) -> Void
    let finish: @Sendable () -> Void
  }

  /// Yields elements to a stream until either ends. `value` returns `nil` for an element that isn't
  /// yielded, and `onEnd` is called when the stream has ended or was released.
  package func forward<Value: Sendable>(
    to stream: AsyncStream<Value>.Continuation, onEnd: @escaping @Sendable () -> Void = {},
    _ value: @escaping @Sendable (Element) -> Value?
  ) {
    let receiver = Receiver(
      receive: { if let value = value($0) { stream.yield(value) } }, finish: { stream.finish() })
    let id: Int? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.lastID += 1
      state.receivers[state.lastID] = receiver
      return state.lastID
    }
    stream.onTermination = { [weak self] _ in
      if let id { self?.state.withLock { _ = $0.receivers.removeValue(forKey: id) } }
      onEnd()
    }
    if id == nil { stream.finish() }
  }

  package func send(_ element: Element) {
    for receiver in state.withLock({ Array($0.receivers.values) }) { receiver.receive(element) }
  }

  /// Ends all streams, including those created later.
  package func finish() {
    let receivers = state.withLock { state in
      state.isFinished = true
      return Array(state.receivers.values)
    }
    for receiver in receivers { receiver.finish() }
  }
}

/// The folded names of the tables that a commit has changed; `nil` stands for all tables.
package typealias ChangedTables = Set<String>?

extension Broadcast<ChangedTables> {
  /// Yields the changes of a table to a stream; see ``forward(to:onEnd:_:)``.
  package func forward(
    table: String, to stream: AsyncStream<Void>.Continuation,
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    forward(to: stream, onEnd: onEnd) { $0?.contains(table) ?? true ? () : nil }
  }

  /// Returns the changes of a table from now on. Changes that aren't consumed are merged into one.
  package func changes(
    of table: String, onEnd: @escaping @Sendable () -> Void = {}
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    forward(table: table, to: continuation, onEnd: onEnd)
    return stream
  }
}
