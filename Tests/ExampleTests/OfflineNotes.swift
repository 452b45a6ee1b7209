// Notes that are edited offline and sync after a restart.
//
// What it shows: an edit is stored together with its write in one transaction, is shown
// immediately, and is sent when there is a network again, in this run or a later one. Several edits
// of a note become one write. A note that is created and deleted offline is never sent.

import Foundation
import PromiseModule
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import Synchronization
import Testing

/// A note, which is a row of a table.
private struct Note: StoredModel, Identifiable, Equatable {
  var id: UUID
  var text: String
  /// The number of times that the server has stored it; `nil` if it never has.
  var revision: Int?
}

extension Note {
  static let text = Column(CodingKeys.text, \Note.text)
}

private struct Saved: Decodable {
  var revision: Int
}

extension OutboxKey {
  fileprivate static func note(_ id: UUID) -> OutboxKey { "note \(id)" }
}

/// Stores and syncs the notes.
private struct Notebook: Sendable {
  let store: SQLiteStore
  let outbox: Outbox

  /// Opens the notebook's file, and continues with the writes that earlier runs couldn't send.
  init(file: URL, client: Client) async throws {
    store = try await SQLiteStore(file: file)
    var settings = OutboxSettings()
    settings.retry.backoff = Backoff(base: .milliseconds(5), maximum: .milliseconds(50))
    // The server's response and the end of the entry are stored in one transaction.
    settings.onRemoval = { entry, outcome, transaction in
      guard case .answered(let response) = outcome, entry.method != .delete else { return }
      let saved = try JSONDecoder().decode(Saved.self, from: response.body)
      guard let sent = try entry.payload(as: Note.self),
        var note = try transaction.first(where: Note.id == sent.id)
      else { return }
      note.revision = saved.revision
      try transaction.update(note)
    }
    outbox = try await Outbox(store: store, client: client, settings: settings)
  }

  /// The notes with all edits, whether sent or not.
  var notes: Updates<[Note]> { store.updates(order: Note.text.ascending) }

  func add(_ text: String) async throws -> Note {
    let note = Note(id: UUID(), text: text)
    try await store.transaction { transaction in
      try transaction.insert(note)
      try outbox.add(
        Request.post("/notes").json(["id": note.id.uuidString, "text": text]), as: .note(note.id),
        in: transaction
      ) {
        $0.isCreation = true
        try $0.attach(note)
      }
    }
    return note
  }

  func edit(_ note: Note, _ text: String) async throws {
    try await store.transaction { transaction in
      var note = try transaction.first(where: Note.id == note.id) ?? note
      note.text = text
      try transaction.upsert(note)
      let edited = note
      try outbox.add(
        Request.put("/notes/\(note.id)").json(["text": text]), as: .note(note.id), in: transaction
      ) {
        $0.compaction = .replacing
        try $0.attach(edited)
      }
    }
  }

  func delete(_ note: Note) async throws {
    try await store.transaction { transaction in
      try transaction.delete(note)
      try outbox.add(.delete("/notes/\(note.id)"), as: .note(note.id), in: transaction) {
        $0.compaction = .cancelling
      }
    }
  }

  /// Waits until the server has everything.
  func synced() async throws {
    for try await entries in outbox.entries() where entries.isEmpty { return }
  }
}

@Suite(.timeLimit(.minutes(15)))
struct OfflineNotesExampleTests {
  /// The notes of a server, with the number of times that each was stored.
  private final class Service: Sendable {
    let notes = Mutex<[String: (text: String, revision: Int)]>([:])

    func save(_ id: String, _ text: String) -> Script {
      let revision = notes.withLock { notes in
        let revision = (notes[id]?.revision ?? 0) + 1
        notes[id] = (text, revision)
        return revision
      }
      return .json(#"{"revision": \#(revision)}"#)
    }

    func makeServer() throws -> LoopbackServer {
      try LoopbackServer {
        LoopbackRoute("POST /notes") { request in
          let members = try JSONDecoder().decode([String: String].self, from: request.body)
          return self.save(members["id"] ?? "", members["text"] ?? "")
        }
        LoopbackRoute("PUT /notes/*") { request in
          let members = try JSONDecoder().decode([String: String].self, from: request.body)
          return self.save(String(request.path.dropFirst(7)), members["text"] ?? "")
        }
        LoopbackRoute("DELETE /notes/*") { request in
          self.notes.withLock { $0[String(request.path.dropFirst(7))] = nil }
          return .status(204)
        }
      }
    }
  }

  @Test func `notes that were edited offline sync after a restart`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "OfflineNotesExample-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "notes.sqlite")
    let (service, nowhere) = (Service(), try UnservedPort(.refusing))

    // Offline, because no server listens. The app ends suddenly.
    do {
      let notebook = try await Notebook(file: file, client: Client(baseURL: nowhere.url()))
      try await notebook.outbox.pause()
      let bread = try await notebook.add("bread")
      for text in ["bread and butter", "bread, butter and jam"] {
        try await notebook.edit(bread, text)
      }
      try await notebook.delete(try await notebook.add("a mistake"))
      var notes = notebook.notes.makeAsyncIterator()
      #expect(try await notes.next()?.map(\.text) == ["bread, butter and jam"])
      #expect(try await notebook.outbox.count() == 2)
      try await notebook.outbox.resume()
    }

    let server = try service.makeServer()
    defer { server.stop() }
    let notebook = try await Notebook(file: file, client: Client(baseURL: server.url()))
    try await notebook.synced()

    let notes = try await notebook.store.select(Note.self)
    #expect(notes.map(\.text) == ["bread, butter and jam"])
    #expect(notes.map(\.revision) == [2])
    #expect(service.notes.withLock { $0.values.map(\.text) } == ["bread, butter and jam"])
    #expect(server.requests.map(\.method) == ["POST", "PUT"])
    await notebook.outbox.close()
  }
}
