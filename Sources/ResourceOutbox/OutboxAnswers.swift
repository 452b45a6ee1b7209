internal import PromiseModule
internal import ResourceLoading
internal import Synchronization

/// The answers that receipts wait for, by the identities of their entries.
final class OutboxAnswers: Sendable {
  private let state = Mutex(State())

  private struct State {
    var pending: [OutboxEntry.ID: WeakAnswer] = [:]
    var isClosed = false
  }

  /// A reference to an answer that doesn't keep it alive.
  private struct WeakAnswer: Sendable {
    weak var answer: PendingAnswer?
  }
}

extension OutboxAnswers {
  /// The entries whose answers haven't come.
  var ids: [OutboxEntry.ID] { state.withLock { Array($0.pending.keys) } }

  /// The answer of an entry, which is settled when it comes, or when the outbox has ended.
  subscript(id: OutboxEntry.ID) -> PendingAnswer {
    let (answer, isClosed) = state.withLock { state in
      let answer = state.pending[id]?.answer ?? PendingAnswer(for: id, of: self)
      if !state.isClosed { state.pending[id] = WeakAnswer(answer: answer) }
      return (answer, state.isClosed)
    }
    if isClosed { answer.settle(.failure(LoadError.outboxClosed)) }
    return answer
  }

  func settle(_ id: OutboxEntry.ID, _ result: Result<Response, any Error>) {
    state.withLock { $0.pending.removeValue(forKey: id) }?.answer?.settle(result)
  }

  /// Settles all answers, because none will come.
  func close() {
    let answers = state.withLock { state in
      defer { state = State(isClosed: true) }
      return Array(state.pending.values)
    }
    for weak in answers { weak.answer?.settle(.failure(LoadError.outboxClosed)) }
  }

  /// Forgets the answer of an entry if nothing waits for it anymore.
  fileprivate func forget(_ id: OutboxEntry.ID) {
    let newer = state.withLock { state in
      let newer = state.pending[id]?.answer
      if newer == nil { state.pending[id] = nil }
      return newer
    }
    // Not under the lock: releasing the last reference to one calls this function again.
    withExtendedLifetime(newer) {}
  }
}

/// An answer that has come or may still come. The receipts of an entry share one, and it is
/// forgotten with the last of them.
final class PendingAnswer: Sendable {
  private let pending = Promise<Response>.pending()
  private let id: OutboxEntry.ID
  private weak let answers: OutboxAnswers?

  fileprivate init(for id: OutboxEntry.ID, of answers: OutboxAnswers) {
    (self.id, self.answers) = (id, answers)
  }

  deinit { answers?.forget(id) }

  /// Settles the answer. Only the first result counts.
  func settle(_ result: Result<Response, any Error>) { pending.resolver.resolve(result) }

  func value() async throws -> Response {
    defer { withExtendedLifetime(self) {} }
    return try await pending.promise.shielded().get()
  }
}
