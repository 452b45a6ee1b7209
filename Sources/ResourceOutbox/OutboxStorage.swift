internal import Foundation
internal import ResourceLoading
internal import ResourcePrimitives
import ResourceStore

/// How much of an entry has been sent.
struct OutboxProgress: Sendable {
  var id: OutboxEntry.ID
  /// `nil` once the entry is removed.
  var step: TransferProgress?
}

/// The tables of an outbox, and what follows from their changes: files are removed, answers are
/// settled, and observers are notified.
final class OutboxStorage: Sendable {
  let store: SQLiteStore
  let settings: OutboxSettings
  let client: Client
  let clock: LoadClock
  let session: OutboxSession
  let answers = OutboxAnswers()
  let events = Broadcast<OutboxEvent>()
  let progress = Broadcast<OutboxProgress>()
  let handlers = OutboxHandlers()
  /// The uploads to cancel at the server.
  let cancelledUploads: AsyncStream<CancelledUpload>
  private let cancelling: AsyncStream<CancelledUpload>.Continuation

  init(_ store: SQLiteStore, _ settings: OutboxSettings, _ client: Client) {
    (self.store, self.settings, self.client) = (store, settings, client)
    clock = LoadClock(client.configuration.clock)
    (cancelledUploads, cancelling) = AsyncStream.makeStream()
    session = OutboxSession(of: store.location) { [answers, events, progress] in
      answers.close()
      events.finish()
      progress.finish()
    }
  }

  var date: Date { clock.date() }

  /// The client's encoder, for bodies.
  var encoder: JSONEncoder { client.configuration.encoder }

  var folder: OutboxFolder { session.folder }
}

extension OutboxStorage {
  /// Creates the tables and the folder, and takes over what processes that have ended left.
  func open() async throws {
    let oldest = settings.placeholderLifetime.map { date.addingTimeInterval(-$0.seconds) }
    try await write { tables in
      try tables.create()
      if let oldest { try tables.removePlaceholderValues(before: oldest) }
    }
    try session.start()
    try await takeOver()
    try await removeOrphans()
  }

  /// Runs the body on one state of the tables.
  func read<R: Sendable>(_ body: @Sendable (OutboxTables) throws -> R) async throws -> R {
    try await store.snapshot { try body(OutboxTables($0, of: self, at: date)) }
  }

  /// Runs the body in a transaction at a date (now for `nil`), and publishes its changes after the
  /// commit.
  @discardableResult
  func write<R: Sendable>(
    at date: Date? = nil, _ body: @Sendable (OutboxTables) throws -> R
  ) async throws -> R {
    try await store.write { try body(tables(on: $0, at: date ?? self.date)) }
  }

  /// The tables in an open transaction, whose changes are published after the commit.
  func tables(on connection: ModelConnection, at date: Date) -> OutboxTables {
    let tables = OutboxTables(connection, of: self, at: date)
    connection.onEnd { isKept in
      if isKept { self.publish(tables.changes) }
    }
    return tables
  }

  private func publish(_ changes: OutboxChanges) {
    folder.remove(changes.files)
    for upload in changes.cancelledUploads { cancelling.yield(upload) }
    for id in changes.replaced { answers.settle(id, .failure(CancellationError())) }
    for event in changes.events {
      events.send(event)
      if case .removed(let entry, _) = event { progress.send(OutboxProgress(id: entry.id)) }
      switch event {
      case .removed(let entry, .answered(let response)):
        answers.settle(entry.id, .success(response))
      case .removed(let entry, .givenUp(let error)), .parked(let entry, let error),
        .uncertain(let entry, let error):
        answers.settle(entry.id, .failure(error))
      case .removed(let entry, .dropped): answers.settle(entry.id, .failure(CancellationError()))
      case .sending, .waiting, .failed: break
      }
    }
  }

  /// Sends an error to observers unless it means that the store was closed or the task cancelled.
  /// Returns whether it makes sense to try again.
  @discardableResult
  func report(_ error: any Error) -> Bool {
    guard let error = error as? LoadError, error.kind != .closed else { return false }
    events.send(.failed(error))
    return true
  }
}

extension OutboxStorage {
  /// Takes no more uploads to cancel.
  func stopCancelling() { cancelling.finish() }

  /// Takes over the entries of sessions that have ended; returns whether there were any.
  @discardableResult
  func takeOver() async throws -> Bool {
    let others = try await read { try $0.sessions(except: session.id) }
    let ended = others.filter(folder.removeIfEnded)
    for other in ended { try await write { try $0.endSession(other) } }
    return !ended.isEmpty
  }

  /// Removes files left by sessions that ended before their commit.
  func removeOrphans() async throws {
    let files = folder.files
    for other in files.sessions where other != session.id { _ = folder.removeIfEnded(other) }
    // After that, so that a session whose file is gone has ended.
    let bodies = Dictionary(grouping: files.bodies, by: \.session)
      .filter { $0.key != session.id && folder.removeIfEnded($0.key) }
      .values.joined().map(\.name)
    guard !bodies.isEmpty else { return }
    folder.remove(
      try await read { tables in try bodies.filter { try !tables.isFileUsed($0) } })
  }

  /// Ends the waits for entries that other processes have removed, if one has written since the
  /// file had the version `last`, which is then updated.
  func settleMissing(since last: inout Int64) async throws {
    // On the connection that writes, where no entry is being added in the meantime.
    let (missing, version) = try await store.writer.run { [last] connection in
      let version = try connection.integer("PRAGMA data_version")
      let tables = OutboxTables(connection, of: self, at: date)
      let ids = version == last ? [] : answers.ids
      return (
        try ids.filter { try !tables.hasEntry(where: "id = ?1", .text($0.uuidString)) }, version
      )
    }
    last = version
    let error = LoadError(.outbox, "another process has sent the write, or it was dropped there")
    for id in missing { answers.settle(id, .failure(error)) }
  }
}

extension LoadError {
  static var outboxClosed: LoadError {
    LoadError(.closed, "the outbox was closed", advice: "Open it again: what wasn't sent is stored")
  }

  /// The error for a function of ``OutboxSettings`` that threw.
  init(hook error: any Error, _ advice: String? = nil) {
    self.init(
      .outbox, "the program's own function threw \(error)", advice: advice, underlying: error)
  }
}
