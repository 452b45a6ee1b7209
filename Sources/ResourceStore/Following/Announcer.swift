internal import Synchronization

/// Tells those who follow a table that it was changed.
final class Announcer: Sendable {
  private let state = Mutex(State())

  private struct State {
    var followers: [Int: Follower] = [:]
    var next = 0
    var isClosed = false
  }

  private struct Follower {
    let table: String
    let stream: AsyncStream<Void>.Continuation
  }

  /// The changes of a table from now on; several that nobody asked for become one.
  ///
  /// - Parameter ended: Called when nobody follows it any more.
  func changes(
    of table: String, ended: @escaping @Sendable () -> Void = {}
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.next += 1
      state.followers[state.next] = Follower(table: table, stream: continuation)
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      if let id { self?.leave(id) }
      ended()
    }
    if id == nil { continuation.finish() }
    return stream
  }

  private func leave(_ id: Int) { state.withLock { _ = $0.followers.removeValue(forKey: id) } }

  /// Tells that tables were changed; `nil` stands for all of them.
  func announce(_ tables: Set<String>?) {
    let followers = state.withLock { state in
      state.followers.values.filter { tables?.contains($0.table) ?? true }
    }
    for follower in followers { follower.stream.yield() }
  }

  /// Ends all that is followed, now and later.
  func close() {
    let followers = state.withLock { state in
      state.isClosed = true
      return Array(state.followers.values)
    }
    for follower in followers { follower.stream.finish() }
  }

  /// How many follow a table.
  var followerCount: Int { state.withLock { $0.followers.count } }
}
