internal import Foundation
internal import ResourceLoading
import ResourceStore

extension OutboxStorage {
  /// Stores a write in a transaction of its own. `body` stores it, and returns `false` if it
  /// needn't be sent.
  func add(
    _ write: OutboxWrite, _ body: @Sendable (OutboxTables, PreparedWrite) throws -> Bool
  ) async throws -> OutboxReceipt {
    try session.beginUse()
    defer { session.endUse() }
    let content = try await write.request.body?.spooled(encoder: encoder)
    let prepared = try prepare(write, content)
    do { return try await store.write { try self.add(prepared, on: $0, body) } } catch {
      folder.remove(prepared.request.ownedFiles)
      throw error
    }
  }

  /// Stores a write in an open transaction.
  @discardableResult
  func add(_ write: OutboxWrite, on connection: ModelConnection) throws -> OutboxReceipt {
    try session.beginUse()
    connection.onEnd { _ in self.session.endUse() }
    let prepared = try prepare(write, write.request.body?.wireBody(encoder: encoder))
    do {
      return try connection.savepoint { try add(prepared, on: connection) { try $0.add($1) } }
    } catch {
      folder.remove(prepared.request.ownedFiles)
      throw error
    }
  }

  /// Creates a write ready to be stored, and copies its files.
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

  /// Returns a piece of a body in the form in which it is stored, and copies it to a file if
  /// necessary.
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
        segment, of: session.id, synchronizing: store.settings.syncsEveryCommit)
      return .owned(name: name, length: segment.length)
    }
  }

  /// Stores a prepared write in an open transaction, and returns the receipt. The consequences are
  /// published after the transaction.
  func add(
    _ prepared: PreparedWrite, on connection: ModelConnection,
    _ body: (OutboxTables, PreparedWrite) throws -> Bool
  ) throws -> OutboxReceipt {
    // Before the commit: another task may send it right after that.
    let answer = answers[prepared.id]
    let isStored = try body(tables(on: connection, at: date), prepared)
    connection.onEnd { isKept in
      guard !isKept || !isStored else { return }
      self.folder.remove(prepared.request.ownedFiles)
      self.answers.settle(
        prepared.id, .failure(isKept ? CancellationError() : LoadError.outboxUndone))
    }
    return OutboxReceipt(id: isStored ? prepared.id : nil, answer: answer)
  }
}

extension LoadError {
  fileprivate static var outboxUndone: LoadError {
    LoadError(
      .outbox, "the transaction in which the write was added was undone", advice: "Add it again")
  }
}
