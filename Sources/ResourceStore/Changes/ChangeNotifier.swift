internal import Synchronization

/// Notifies observers of a table when it has changed.
final class ChangeNotifier: Sendable {
  private let state = Mutex(State())

  private struct State {
    var observers: [Int: Observer] = [:]
    var lastID = 0
    var isClosed = false
  }

  private struct Observer {
    let table: String
    let stream: AsyncStream<Void>.Continuation
  }

  /// Returns the changes of a table from now on. Changes that aren't consumed are merged into one.
  ///
  /// - Parameter onEnd: Called when the stream has ended or was released.
  func changes(
    of table: String, onEnd: @escaping @Sendable () -> Void = {}
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    yieldChanges(of: table, to: continuation, onEnd: onEnd)
    return stream
  }

  /// Yields the changes of a table to a stream from now on, until that has ended. It ends with the store.
  ///
  /// - Parameter onEnd: Called when the stream has ended or was released.
  func yieldChanges(
    of table: String, to continuation: AsyncStream<Void>.Continuation,
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    let id: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastID += 1
      state.observers[state.lastID] = Observer(table: table, stream: continuation)
      return state.lastID
    }
    continuation.onTermination = { [weak self] _ in
      if let id { self?.remove(id) }
      onEnd()
    }
    if id == nil { continuation.finish() }
  }

  private func remove(_ id: Int) { state.withLock { _ = $0.observers.removeValue(forKey: id) } }

  /// Notifies the observers of tables; `nil` stands for all tables.
  func notify(_ tables: Set<String>?) {
    let observers = state.withLock { state in
      state.observers.values.filter { tables?.contains($0.table) ?? true }
    }
    for observer in observers { observer.stream.yield() }
  }

  /// Ends all streams, including those that are made later.
  func close() {
    let observers = state.withLock { state in
      state.isClosed = true
      return Array(state.observers.values)
    }
    for observer in observers { observer.stream.finish() }
  }
}
