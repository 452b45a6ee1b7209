import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceSync
import ResourceTesting
import TestSupport
import Testing

private struct Note: SyncedModel, Equatable {
  var id: UUID
  var text: String
  var isDone = false
}

private struct Folder: SyncedModel {
  var id: ServerID
  var name: String
}

/// A row with versions.
private struct Page: SyncedModel {
  var id: UUID
  var tag: String?
  var revision: Int?
}

private struct Changes: Codable {
  var notes: [Note]
  var removed: [UUID]
  var next: String?
  var cursor: String
}

extension Resource where R == [Note] {
  fileprivate static var notes: Self { Resource(json: .get("/notes")) }
}

/// The samples of the articles about collections, word for word; `DocumentationTests` compares them.
@MainActor
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct DocumentedCollections {
  @Test func `notes are synced`() async throws {
    let fixture = try SyncFixture()
    let note = Note(id: UUID(), text: "bread")
    fixture.transport.stub("GET /notes", .json("[]"))
    fixture.transport.stub("POST /notes", .status(201))
    fixture.transport.stub("PUT /notes/*", .status(204))
    fixture.transport.stub("DELETE /notes/*", .status(204))
    let (store, outbox) = try await fixture.open()
    let (foreground, enter) = AsyncStream.makeStream(of: Void.self)

    let notes = try await SyncedCollection<Note>(outbox) {
      $0.pull = .array(.notes)
      $0.create = { .post("/notes").json($0) }
      $0.update = { .put("/notes/\($0.id)").json($0) }
      $0.remove = { .delete("/notes/\($0.id)") }
    }
    notes.sync(on: foreground)

    try await notes.save(note)
    try await notes.edit(note.id) { $0.isDone = true }
    try await notes.remove(note.id)
    try await notes.sync()

    try await until { try await outbox.count() == 0 }
    let pulls = fixture.sent.count { $0 == "GET /notes" }
    enter.yield()
    try await until { fixture.sent.count { $0 == "GET /notes" } > pulls }
    #expect(try await store.count(Note.self) == 0)
    enter.finish()
    await outbox.close()
    await store.close()
  }

  @Test func `rows are pulled in each of the documented ways`() async throws {
    let fixture = try SyncFixture()
    let id = UUID()
    let row = #"{"id": "\#(id)", "text": "bread", "isDone": false}"#
    let changes = #"{"notes": [\#(row)], "removed": [], "cursor": "1"}"#
    let (store, outbox) = try await fixture.open()
    @Sendable func next(_ position: SyncPosition) -> String {
      "\((position.page.flatMap { Int($0) } ?? 1) + 1)"
    }

    let listing = try await SyncedCollection<Note>(outbox) {
      $0.pull = .listing { position in
        Resource<[Note]>(json: Request(.get, "/notes", query: ["page": position.page ?? "1"]))
          .map { SyncPage(rows: $0, next: $0.isEmpty ? nil : next(position)) }
      }
      $0.interval = .seconds(60)
    }
    fixture.transport.stub("GET /notes", .json("[\(row)]"), .json("[]"))
    try await listing.sync()
    #expect(try await store.count(Note.self) == 1)

    let log = try await SyncedCollection<Note>(outbox) {
      $0.pull = .changes { position in
        var request = Request.get("/notes")
        if let cursor = position.cursor { request.query.append(["updated_since": cursor]) }
        if let page = position.page { request.query.append(["page_token": page]) }
        return Resource<Changes>(json: request).map {
          SyncPage(rows: $0.notes, removed: $0.removed, next: $0.next, cursor: $0.cursor)
        }
      }
      $0.conflict = { conflict in
        guard var mine = conflict.mine, let theirs = conflict.theirs else { return conflict.mine }
        mine.text = "\(theirs.text)\n\(mine.text)"
        return mine
      }
    }
    fixture.transport.stub("GET /notes", .json(changes))
    try await log.sync()
    try await log.sync()
    #expect(fixture.transport.requests.last?.url.query() == "updated_since=1")
    await outbox.close()
    await store.close()
  }

  @Test func `ids and versions are the server's`() async throws {
    let fixture = try SyncFixture()
    fixture.transport.stub("POST /folders", .json(#"{"id": 7, "name": "Taxes"}"#))
    let (store, outbox) = try await fixture.open()
    let folders = try await SyncedCollection<Folder>(outbox) {
      $0.create = { .post("/folders").json(["name": $0.name]) }
    }
    let pages = try await SyncedCollection<Page>(outbox) {
      $0.version = .eTag(\.tag)  // sent as If-Match
      $0.version = .column(\.revision)  // a part of the body
    }

    try await folders.save(Folder(id: ServerID(), name: "Taxes"))

    try await until { try await store.first(Folder.self)?.id == 7 }
    #expect(pages.elements.isEmpty)
    await outbox.close()
    await store.close()
  }
}
