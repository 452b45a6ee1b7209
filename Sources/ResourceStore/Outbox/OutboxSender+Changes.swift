internal import Foundation
internal import ResourceLoading
internal import Synchronization

// Adding.
extension OutboxSender {
  /// Makes a write ready to be stored: encodes its body, and copies its files.
  ///
  /// - Throws: A `LoadError` of kind `invalidRequest` or `file`.
  func prepare(_ write: OutboxWrite, _ body: WireBody?) throws -> PreparedWrite {
    var request = try StoredRequest(write.request, publicNames: write.publicNames)
    let mayRepeat =
      write.request.options.isIdempotent
      ?? (settings.serverHonoursIdempotencyKeys || request.method.isIdempotent)
    do {
      for segment in body?.segments ?? [] {
        request.pieces.append(try keep(segment, write.files, body?.isTemporary ?? false))
      }
    } catch {
      folder.remove(request.ownedFiles)
      throw error
    }
    return PreparedWrite(write, request, mayRepeat: mayRepeat, at: date)
  }

  /// Returns a piece of a body in the form in which it is stored, and copies it to a file if necessary.
  ///
  /// - Throws: A `LoadError` of kind `file` if there is no room, and `invalidRequest` if a file can't be read.
  private func keep(
    _ segment: WireBody.Segment, _ files: OutboxFiles, _ isTemporary: Bool
  ) throws -> StoredRequest.Piece {
    switch segment {
    case .data(let data)
    where data.count <= StoredRequest.largestInlineData
      || !OutboxPlaceholder.all(in: data).isEmpty:
      return .data(data)
    case .file(let url, _) where files == .referenced && !isTemporary:
      return .referenced(url, length: segment.length)
    default:
      let name = try folder.keep(
        segment, of: session, synchronizing: store.settings.syncsEveryCommit)
      return .owned(name: name, length: segment.length)
    }
  }

  /// Prepares a write, and stores it in a transaction of its own.
  ///
  /// - Parameter body: Stores it; returns `false` if it needn't be sent.
  /// - Throws: As ``prepare(_:_:)`` and ``add(_:on:_:)``; nothing is stored then.
  func add(
    _ write: OutboxWrite,
    _ body: @Sendable (ModelConnection, PreparedWrite, inout OutboxChanges) throws -> Bool
  ) async throws -> OutboxReceipt {
    try beginAdding()
    defer { endAdding() }
    let content = try await write.request.body?.spooled(encoder: client.configuration.encoder)
    let prepared = try prepare(write, content)
    do {
      return try await store.write { try self.add(prepared, on: $0, body) }
    } catch {
      folder.remove(prepared.request.ownedFiles)
      throw error
    }
  }

  /// Stores a prepared write, in an open transaction. What follows from that is published after the transaction.
  ///
  /// - Parameter body: Stores it; returns `false` if it needn't be sent.
  /// - Returns: The receipt.
  /// - Throws: What ``OutboxSettings/removal`` and the body throw.
  func add(
    _ prepared: PreparedWrite, on connection: ModelConnection,
    _ body: (ModelConnection, PreparedWrite, inout OutboxChanges) throws -> Bool
  ) throws -> OutboxReceipt {
    let answer = PendingAnswer(for: prepared.id, of: self)
    // Before the commit: another task may send it right after that.
    register(answer, for: prepared.id)
    var changes = OutboxChanges()
    let isStored: Bool
    do { isStored = try body(connection, prepared, &changes) } catch let error as OutboxHookError {
      throw error.error
    }
    connection.onEnd { [changes] isKept in
      if isKept { self.publish(changes) }
      guard !isKept || !isStored else { return }
      self.folder.remove(prepared.request.ownedFiles)
      self.settle(
        prepared.id, .failure(isKept ? CancellationError() : LoadError.outboxUndone))
    }
    return OutboxReceipt(id: isStored ? prepared.id : nil, answer: answer)
  }

  /// Keeps the session, to which the files of a write belong until its commit, until ``endAdding()``.
  ///
  /// - Throws: A `LoadError` of kind `closed` after ``stop()``.
  func beginAdding() throws {
    try state.withLock { state in
      guard !state.isStopped else { throw LoadError.outboxClosed }
      state.additionCount += 1
    }
  }

  func endAdding() {
    state.withLock { $0.additionCount -= 1 }
    endIfIdle()
  }
}

// Answers.
extension OutboxSender {
  func register(_ answer: PendingAnswer, for id: OutboxEntry.ID) {
    let isStopped = state.withLock { state in
      if !state.isStopped { state.answers[id, default: []].append(WeakAnswer(answer: answer)) }
      return state.isStopped
    }
    if isStopped { answer.settle(.failure(LoadError.outboxClosed)) }
  }

  /// Removes the references to answers of an entry that nobody waits for any more.
  func forget(_ id: OutboxEntry.ID) {
    let living = state.withLock { state -> [PendingAnswer] in
      let living = state.answers[id, default: []].compactMap(\.answer)
      state.answers[id] = living.isEmpty ? nil : living.map(WeakAnswer.init)
      return living
    }
    // Not under the lock: releasing the last reference to one calls this function again.
    withExtendedLifetime(living) {}
  }

  func settle(_ id: OutboxEntry.ID, _ result: Result<Response, any Error>) {
    let answers = state.withLock { $0.answers.removeValue(forKey: id) } ?? []
    for weak in answers { weak.answer?.settle(result) }
  }

  /// Publishes the changes of a transaction, and removes the files.
  func publish(_ changes: OutboxChanges) {
    folder.remove(changes.files)
    for id in changes.replaced { settle(id, .failure(CancellationError())) }
    for event in changes.events {
      observers.send(event)
      switch event {
      case .removed(let entry, .answered(let response)): settle(entry.id, .success(response))
      case .removed(let entry, .givenUp(let error)), .parked(let entry, let error),
        .uncertain(let entry, let error):
        settle(entry.id, .failure(error))
      case .removed(let entry, .dropped): settle(entry.id, .failure(CancellationError()))
      case .sending, .waiting, .failed: break
      }
    }
  }
}

/// The streams of those who observe the events of an outbox.
final class OutboxObservers: Sendable {
  private let state = Mutex(State())

  private struct State {
    var streams: [UUID: AsyncStream<OutboxEvent>.Continuation] = [:]
    var isFinished = false
  }

  func stream() -> AsyncStream<OutboxEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
    let id = UUID()
    let isFinished = state.withLock { state in
      if !state.isFinished { state.streams[id] = continuation }
      return state.isFinished
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
    }
    if isFinished { continuation.finish() }
    return stream
  }

  func send(_ event: OutboxEvent) {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(event) }
  }

  func finish() {
    let streams = state.withLock { state in
      state.isFinished = true
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}

extension LoadError {
  static var outboxClosed: LoadError {
    LoadError(.closed, "the outbox was closed", advice: "Open it again: what wasn't sent is stored")
  }

  fileprivate static var outboxUndone: LoadError {
    LoadError(
      .outbox, "the transaction in which the write was added was undone", advice: "Add it again")
  }

  /// The error for a function of ``OutboxSettings`` that threw.
  init(hook error: any Error, _ advice: String? = nil) {
    self.init(
      .outbox, "the program's own function threw \(error)", advice: advice, underlying: error)
  }
}
