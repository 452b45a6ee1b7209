// Notes that are edited offline on several devices, and synced in both directions.
//
// What it shows: a list that user interfaces observe, edits that show at once and survive a
// restart, what other devices have changed and removed, and a conflict that keeps both texts.

import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceState
import ResourceStore
import ResourceSync
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// A note, as the table and the server have it.
private struct Note: SyncedModel, Equatable {
  var id = UUID()
  var text: String
  var isDone = false
  /// The number of its changes on the server.
  var revision: Int?
}

extension Note {
  static let text = Column(CodingKeys.text, \Note.text)
}

/// What has changed since a cursor.
private struct Changes: Codable {
  var notes: [Note]
  var removed: [UUID]
  var cursor: String
}

/// The app's model: `ForEach(notebook.notes.elements) { … }` shows it.
@MainActor
private final class Notebook {
  let outbox: Outbox
  let notes: SyncedCollection<Note>

  init(file: URL, client: Client) async throws {
    outbox = try await Outbox(store: SQLiteStore(file: file), client: client)
    notes = try await SyncedCollection(outbox) {
      $0.pull = .changes { position in
        Resource<Changes>(json: Request(.get, "/notes", query: ["since": position.cursor ?? "0"]))
          .map { SyncPage(rows: $0.notes, removed: $0.removed, cursor: $0.cursor) }
      }
      $0.create = { .post("/notes").json($0) }
      $0.update = { .put("/notes/\($0.id)").json($0) }
      $0.remove = { .delete("/notes/\($0.id)") }
      $0.version = .column(\.revision)
      $0.conflict = { conflict in
        guard var note = conflict.mine, let other = conflict.theirs else { return conflict.mine }
        note.text = "\(other.text), \(note.text)"
        return note
      }
      $0.elements.order = [Note.text.ascending]
    }
    notes.sync(on: LiveSignals.continued())
  }

  func add(_ text: String) async throws -> Note {
    let note = Note(text: text)
    try await notes.save(note)
    return note
  }

  func finish(_ note: Note) async throws { try await notes.edit(note.id) { $0.isDone = true } }

  func rewrite(_ note: Note, _ text: String) async throws {
    try await notes.edit(note.id) { $0.text = text }
  }
}

/// The notes of a server, and the order of their changes.
private final class Service: Sendable {
  private struct State {
    var notes: [UUID: Note] = [:]
    var log: [UUID] = []
  }

  private let state = Mutex(State())

  func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /notes") { [self] request in try changes(since: request.query ?? "") }
      LoopbackRoute("POST /notes") { [self] request in try save(request) }
      LoopbackRoute("PUT /notes/*") { [self] request in try save(request) }
      LoopbackRoute("DELETE /notes/*") { [self] request in
        state.withLock { state in
          guard let id = UUID(uuidString: String(request.path.dropFirst(7))) else { return }
          state.notes[id] = nil
          state.log.append(id)
        }
        return .status(204)
      }
    }
  }

  /// - Parameter query: Such as `since=17`.
  private func changes(since query: String) throws -> Script {
    try state.withLock { state in
      let ids = Set(state.log.dropFirst(Int(query.dropFirst("since=".count)) ?? 0))
      return .json(
        String(
          decoding: try JSONEncoder().encode(
            Changes(
              notes: ids.compactMap { state.notes[$0] },
              removed: ids.filter { state.notes[$0] == nil }, cursor: "\(state.log.count)")),
          as: UTF8.self))
    }
  }

  private func save(_ request: ReceivedRequest) throws -> Script {
    var note = try JSONDecoder().decode(Note.self, from: request.body)
    let isConflict = state.withLock { state in
      if let known = state.notes[note.id], known.revision != note.revision {
        note = known
        return true
      }
      note.revision = (note.revision ?? 0) + 1
      state.notes[note.id] = note
      state.log.append(note.id)
      return false
    }
    let body = String(decoding: try JSONEncoder().encode(note), as: UTF8.self)
    return .json(body, status: isConflict ? 409 : 200)
  }
}

@MainActor
@Suite(.timeLimit(.minutes(15)))
struct SyncedNotesExampleTests {
  private func until(_ condition: () async throws -> Bool) async throws {
    while try await !condition() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func `notes of two devices become the same, also what both have changed`() async throws {
    let folder = try TemporaryFolder()
    let (service, nowhere) = (Service(), try UnservedPort(.refusing))
    let phone = folder.file("phone.sqlite")

    // Offline. The app ends suddenly.
    var bread = Note(text: "")
    do {
      let notebook = try await Notebook(file: phone, client: Client(baseURL: nowhere.url()))
      bread = try await notebook.add("bread")
      try await notebook.finish(bread)
      try await until { notebook.notes.elements.map(\.text) == ["bread"] }
    }

    let server = try service.makeServer()
    defer { server.stop() }
    let client = Client(baseURL: server.url())
    let first = try await Notebook(file: phone, client: client)
    let second = try await Notebook(file: folder.file("tablet.sqlite"), client: client)
    try await until { try await first.outbox.count() == 0 }
    try await second.notes.sync()
    try await until { second.notes.elements.map(\.text) == ["bread"] }
    #expect(second.notes.elements.first?.isDone == true)

    try await first.rewrite(bread, "butter")
    try await until { try await first.outbox.count() == 0 }
    try await second.rewrite(bread, "jam")
    try await until { try await second.outbox.count() == 0 }
    try await first.notes.sync()
    try await until { first.notes.elements.map(\.text) == ["butter, jam"] }

    try await first.notes.remove(bread.id)
    try await until { try await first.outbox.count() == 0 }
    try await second.notes.sync()
    try await until { second.notes.elements.isEmpty }

    #expect(first.notes.elements.isEmpty && first.notes.failures.isEmpty)
    for notebook in [first, second] { await notebook.outbox.close() }
  }
}
