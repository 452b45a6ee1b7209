import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceState
import ResourceStore
import ResourceSync
import ResourceTesting
import TestSupport
import Testing

private struct Note: Codable, Sendable, Equatable, Identifiable {
  var id: UUID
  var text: String
}

extension OutboxKey {
  fileprivate static func note(_ id: UUID) -> OutboxKey { "note \(id)" }
}

extension Resource where R == [Note] {
  fileprivate static var notes: Self { Resource(json: .get("/notes")) }
}

private struct SaveNote: DurableChange {
  var note: Note

  func apply(to changes: inout LiveChanges) {
    changes.update(.notes) { [note] in
      $0.removeAll { $0.id == note.id }
      $0.append(note)
    }
  }
}

private struct AddNote: DurableChange {
  var note: Note

  func apply(to changes: inout LiveChanges) {
    changes.update(.notes) { [note] in
      $0.removeAll { $0.id == note.id }
      $0.append(note)
    }
  }

  func confirm(_ answer: Response, in changes: inout LiveChanges) throws {
    let saved = try JSONDecoder().decode(Note.self, from: answer.body)
    changes.update(.notes) {
      $0.removeAll { $0.id == saved.id }
      $0.append(saved)
    }
  }
}

/// The samples of the documentation, word for word; the last test compares them.
@MainActor
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct DocumentationTests {
  @Test func `a note is shown, sent, and retried`() async throws {
    let fixture = try SyncFixture()
    fixture.transport.stub("GET /notes", .json("[]"))
    fixture.transport.stub("PUT /notes/*", .status(403), .status(204))
    let (store, outbox) = try await fixture.open()
    let live = LiveResources(fixture.client(), clock: fixture.clock)
    let note = Note(id: UUID(), text: "bread")

    let writes = try await DurableWrites(live, outbox, SaveNote.self)
    let notes = live.resource(.notes)
    try await until { notes.value != nil }

    let request = Request.put("/notes/\(note.id)").json(note)
    try await writes.send(request, as: .note(note.id), SaveNote(note: note))
    try await until { !writes.failures.isEmpty }
    #expect(notes.value == [])

    for failure in writes.failures {
      try await writes.retry(failure)  // or correct(_:with:_:), or drop(_:)
    }

    try await until { writes.failures.isEmpty && writes.waitingCount == 0 }
    #expect(fixture.transport.requests.count { $0.method == .put } == 2)
    live.removeAll()
    await outbox.close()
    await store.close()
  }

  @Test func `an answer is read`() async throws {
    let fixture = try SyncFixture()
    let note = Note(id: UUID(), text: "bread")
    fixture.transport.stub("GET /notes", .json("[]"))
    fixture.transport.stub("POST /notes", .json(#"{"id": "\#(note.id)", "text": "Bread"}"#))
    let (store, outbox) = try await fixture.open()
    let live = LiveResources(fixture.client(), clock: fixture.clock)
    let writes = try await DurableWrites(live, outbox, AddNote.self)
    let notes = live.resource(.notes)
    try await until { notes.value != nil }
    fixture.transport.stub("GET /notes", .json(#"[{"id": "\#(note.id)", "text": "Bread"}]"#))

    try await writes.send(.post("/notes").json(note), as: .note(note.id), AddNote(note: note))

    try await until { notes.value?.map(\.text) == ["Bread"] }
    live.removeAll()
    await outbox.close()
    await store.close()
  }

  @Test func `every sample of the documentation is compiled`() throws {
    let compiled = DocumentationSamples.trimmed(
      try ["DocumentationTests", "DocumentedCollections", "DocumentedNotes"].map { name in
        let path = #filePath.replacing("DocumentationTests", with: name)
        return try String(contentsOfFile: path, encoding: .utf8)
      }.joined()
    ).replacing("private struct", with: "struct")

    let samples = try DocumentationSamples.all(in: "Sources/ResourceSync")

    #expect(samples.count >= 15)
    for sample in samples { #expect(compiled.contains(sample), "not compiled:\n\(sample)") }
  }
}
