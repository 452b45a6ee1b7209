import Foundation
import Observation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceSync
import ResourceTesting
import Synchronization
import TestSupport
import Testing

struct Memo: SyncedModel, Equatable {
  var id = UUID().uuidString
  var text: String
  var isDone = false
  var tag: String?
}

struct MemoChanges: Decodable {
  var notes: [Memo]
  var removed: [String]
  var next: String?
  var cursor: String
}

extension SyncOptions<Memo> {
  mutating func useServer() {
    pull = .changes { position in
      var request = Request.get("/notes")
      if let cursor = position.cursor { request.query.append(["since": cursor]) }
      if let page = position.page { request.query.append(["from": page]) }
      return Resource<MemoChanges>(json: request).map {
        SyncPage(rows: $0.notes, removed: $0.removed, next: $0.next, cursor: $0.cursor)
      }
    }
    create = { .post("/notes").json($0) }
    update = { .put("/notes/\($0.id)").json($0) }
    remove = { .delete("/notes/\($0.id)") }
    version = .eTag(\.tag)
    conflict = { conflict in
      guard var mine = conflict.mine, let theirs = conflict.theirs else { return conflict.mine }
      mine.text = "\(theirs.text)\n\(mine.text)"
      return mine
    }
  }
}

@MainActor @Observable
final class Notebook {
  private let memos: SyncedCollection<Memo>

  init(_ outbox: Outbox, foreground: AsyncStream<Void>) async throws {
    memos = try await SyncedCollection(outbox) { $0.useServer() }
    memos.sync(on: foreground)
  }

  var rows: [Memo] { memos.elements.sorted { $0.text < $1.text } }

  var status: String {
    if !memos.failures.isEmpty { return "\(memos.failures.count) to decide" }
    if memos.waitingCount > 0 { return "\(memos.waitingCount) to send" }
    return memos.isSyncing ? "syncing" : "up to date"
  }

  func add(_ text: String) async throws { try await memos.save(Memo(text: text)) }

  func finish(_ memo: Memo) async throws { try await memos.edit(memo.id) { $0.isDone = true } }

  func delete(_ memo: Memo) async throws { try await memos.remove(memo.id) }

  func sendAgain() async throws {
    for failure in memos.failures { try await memos.retry(failure) }
  }

  func signOut() async throws { try await memos.removeAll() }
}

/// The worked example of the article about a notes app, word for word.
@MainActor
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct DocumentedNotes {
  @Test func `notes are written offline, and are the same everywhere afterwards`() async throws {
    var fixture = try SyncFixture()
    let (server, (foreground, enter)) = (NoteServer(), AsyncStream.makeStream(of: Void.self))
    server.stub(fixture.transport)
    server.change("a", "bread")
    server.change("b", "milk")
    let (store, outbox) = try await fixture.open()
    let notebook = try await Notebook(outbox, foreground: foreground)
    enter.yield()
    try await until { notebook.rows.map(\.text) == ["bread", "milk"] }
    enter.finish()
    await outbox.close()
    await store.close()

    // Offline, in the next run.
    fixture.settings.maximumConcurrency = 0
    let (offlineStore, offlineOutbox) = try await fixture.open()
    let offline = try await Notebook(offlineOutbox, foreground: AsyncStream { $0.finish() })
    try await until { offline.rows.count == 2 }
    try await offline.add("apples")
    try await until { offline.rows.count == 3 }
    let rows = offline.rows
    try await offline.finish(rows[1])
    try await offline.delete(rows[2])
    try await until { offline.rows.map(\.text) == ["apples", "bread"] }
    try await until { offline.status == "3 to send" }
    await offlineOutbox.close()
    await offlineStore.close()
    server.change("a", "bread and salt")

    // With a network again.
    fixture.settings.maximumConcurrency = 4
    let (lastStore, lastOutbox) = try await fixture.open()
    let (entering, enterAgain) = AsyncStream.makeStream(of: Void.self)
    let online = try await Notebook(lastOutbox, foreground: entering)
    enterAgain.yield()
    try await until { server.state.withLock { $0.notes["a"]?.isDone } == true }
    try await until { server.texts.count == 2 && online.status == "up to date" }
    try await until { online.rows.map(\.text) == ["apples", "bread and salt"] }

    #expect(online.rows.map(\.isDone) == [false, true])
    #expect(Set(server.texts.values) == ["apples", "bread and salt"])
    try await online.signOut()
    try await until { online.rows.isEmpty }
    await lastOutbox.close()
    await lastStore.close()
  }
}
