import Foundation
import PromiseModule
import ResourceLoading
import ResourceOutbox
import ResourcePrimitives
import ResourceStore
import Synchronization

/// Pulls rows, sends them, and decides conflicts, on no particular thread.
final class SyncEngine<Model: SyncedModel>: Sendable {
  typealias Rows = SyncTransaction<Model>

  let outbox: Outbox
  let options: SyncOptions<Model>
  /// The pull under way.
  private let pulling = Mutex<Promise<Void>?>(nil)
  private let conflicts = Mutex(SyncConflicts<Model>())

  init(_ outbox: Outbox, _ options: SyncOptions<Model>) async throws {
    (self.outbox, self.options) = (outbox, options)
    let references = options.references
    try await outbox.store.write { connection in
      try SyncTables.create(on: connection)
      try SyncTables(connection: connection, name: Model.table).setReferences(references)
    }
    // It stays when the collection is released: answers may come for as long as the outbox sends.
    outbox.handle(Rows.kind) { entry, outcome, outbox in
      var answer: Response?
      if case .answered(let response) = outcome { answer = response }
      let rows = Rows(options: options, outbox: outbox)
      try rows.settle()
      try rows.ended(entry.key, entry.payload, answer, number: entry.number)
    }
    try await change { try $0.settle() }
  }

  func change<R: Sendable>(_ body: @Sendable (Rows) throws -> R) async throws -> R {
    try await outbox.store.transaction { [self] in try body(rows(in: $0)) }
  }

  func rows(in transaction: ModelTransaction) -> Rows {
    Rows(options: options, outbox: outbox.transaction(in: transaction))
  }
}

extension SyncEngine {
  /// Yields whenever the summary may have changed.
  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let tables = [outbox.table, SyncTables.table.foldedName]
    outbox.store.changes.forward(to: continuation) { changed in
      tables.contains { changed?.contains($0) ?? true } ? () : nil
    }
    return stream
  }

  /// Pulls, or waits for the pull under way, which goes on when the task is cancelled.
  func sync() async throws {
    let pull = pulling.withLock { current in
      if let current { return current }
      let pull = Deadline.withoutCurrent {
        Promise {
          defer { self.pulling.withLock { $0 = nil } }
          try await self.pull()
        }
      }
      current = pull
      return pull
    }
    try await pull.shielded().get()
  }

  private func pull() async throws {
    guard let pull = options.pull else { return }
    var place: SyncPlace? = try await change { try $0.beginPull() }
    var (mayBeginAnew, visited) = (true, Set<SyncPlace.Page>())
    while let current = place {
      visited.insert(current.page)
      let loaded: LoadedSyncPage<Model>
      do {
        loaded = try await load(pull.page(current.position), at: current)
      } catch let error as LoadError where mayBeginAnew && error.forgets(current.position) {
        mayBeginAnew = false
        let forgets = current.position.page == nil
        place = try await change { try $0.beginPull(anew: true, forgettingCursor: forgets) }
        continue
      }
      if let next = loaded.page?.next, visited.contains(current.page(next)) {
        throw LoadError.pagesInCircle
      }
      place = try await change { try $0.take(loaded, from: current) }
    }
  }

  private func load(
    _ resource: Resource<SyncPage<Model>>, at place: SyncPlace
  ) async throws -> LoadedSyncPage<Model> {
    var request = resource.request
    if request.options.cachePolicy == nil { request.options.cachePolicy = .networkOnly }
    if let eTag = place.eTag {
      request.headers[.ifNoneMatch] = eTag
      let accepted = request.options.acceptedStatuses ?? .successful
      request.options.acceptedStatuses = accepted.union([.notModified])
    }
    return try await outbox.client.load(
      resource.derived(sending: request, parsing: .unknown) { [parser = resource.parser] response in
        guard response.status != .notModified else { return LoadedSyncPage() }
        return LoadedSyncPage(page: try parser(response), eTag: response.headers[.eTag])
      })
  }
}

extension LoadError {
  /// Whether a server doesn't know a position anymore.
  fileprivate func forgets(_ position: SyncPosition) -> Bool {
    guard let status = response?.status.rawValue else { return false }
    return status == 410 && (position.cursor ?? position.page) != nil
      || [400, 404].contains(status) && position.page != nil
  }
}

// What users see of the writes on their way, and of those that have failed.
extension SyncEngine {
  /// What users see of the writes on their way.
  struct Summary: Sendable {
    var waitingCount = 0
    var failures: [SyncFailure<Model>] = []
    var pulled: Date?
    /// Whether the last pull has passed over rows that could be pulled now.
    var isIncomplete = false
  }

  func summary() async throws -> Summary {
    try await change { rows in
      try rows.settle()
      let entries = try rows.outbox.entries(ofKinds: Rows.kind)
      let state = try rows.tables.state()
      var summary = Summary(pulled: state.pulled)
      for entry in entries {
        if let failure = try rows.failure(entry) {
          summary.failures.append(failure)
        } else {
          summary.waitingCount += 1
        }
      }
      summary.isIncomplete = state.isIncomplete && !entries.contains { $0.isOnItsWay }
      return summary
    }
  }

  /// Looks at conflicts that nobody has looked at, or only without knowing what the server has.
  /// Returns whether a pull is needed to know that.
  ///
  /// - Parameter read: The number of the read that has found them. Earlier ones may come later.
  @concurrent func decide(_ failures: [SyncFailure<Model>], of read: Int) async -> Bool {
    let begun = conflicts.withLock { $0.begin(failures.filter(\.isConflict), of: read) }
    var needsPull = false
    for failure in begun {
      var next: SyncFailure<Model>? = failure
      while let current = next {
        // The server or the closure may answer the next time.
        let result = (try? await decide(current)) ?? .undecided
        if result == .needsPull { needsPull = true }
        next = conflicts.withLock { $0.end(current.id, isDecided: result == .decided) }
      }
    }
    return needsPull
  }

  /// What became of a conflict.
  private enum Outcome {
    case decided
    /// It waits for the user, or for what the server has.
    case undecided
    /// A pull has to tell what the server has.
    case needsPull
  }

  private func decide(_ failure: SyncFailure<Model>) async throws -> Outcome {
    var theirs = failure.known
    if theirs == nil, let fetch = options.fetch {
      theirs = .some(try await load(fetch(failure.rowID)))
    }
    guard let theirs else {
      return conflicts.withLock { $0.beginPull(failure.id) } ? .needsPull : .undecided
    }
    while true {
      let decision = try await change { try $0.rebase(failure, on: theirs) }
      guard let decision, let decide = options.conflict else { return .undecided }
      let result = try await decide(decision.conflict)
      if try await change({ try $0.decide(decision, result) }) { return .decided }
    }
  }

  /// Loads a row; `nil` if the server has none.
  private func load(_ resource: Resource<Model>) async throws -> Model? {
    let version = options.version
    var request = resource.request
    if request.options.cachePolicy == nil { request.options.cachePolicy = .networkOnly }
    let versioned = resource.derived(sending: request, parsing: .unknown) {
      [parser = resource.parser] response in
      var model = try parser(response)
      version?.read(response, &model)
      return model
    }
    do { return try await outbox.client.load(versioned) } catch let error as LoadError
      where [404, 410].contains(error.response?.status.rawValue)
    {
      return nil
    }
  }

  /// Lets conflicts be looked at again, for example after a pull.
  func reconsider() { conflicts.withLock { $0.reconsider() } }
}
