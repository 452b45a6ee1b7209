import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Synchronization

@testable import ResourceSync

/// A note whose id is the client's.
struct TestNote: SyncedModel, Equatable {
  var id: String
  var text: String
  var isDone = false
  var tag: String?
}

/// What the server sends and gets.
private struct SentNote: Codable {
  var id: String
  var text: String
  var isDone: Bool?
}

private struct SentPage: Codable {
  var notes: [TestNote]
  var removed: [String]
  var next: String?
  var cursor: String
}

/// A server with notes that have versions, and a log of changes.
final class NoteServer: Sendable {
  struct State {
    var notes: [String: TestNote] = [:]
    /// The ids in the order of their last changes, with the versions that these made.
    var log: [(version: Int, id: String)] = []
    var version = 0
    var pageSize = 100
    /// Whether a cursor is known.
    var knowsCursor = true
    var checksVersions = true
  }

  let state = Mutex(State())

  /// Changes a note as another device would; `nil` removes it.
  func change(_ id: String, _ text: String?, isDone: Bool? = nil) {
    state.withLock { state in
      state.version += 1
      let isDone = isDone ?? state.notes[id]?.isDone ?? false
      state.notes[id] = text.map {
        TestNote(id: id, text: $0, isDone: isDone, tag: "\"\(state.version)\"")
      }
      state.log.removeAll { $0.id == id }
      state.log.append((state.version, id))
    }
  }

  var texts: [String: String] { state.withLock { $0.notes.mapValues(\.text) } }

  func page(since cursor: Int, from: Int) -> StubAnswer {
    state.withLock { state in
      guard state.knowsCursor || cursor == 0 else { return .status(410) }
      let changed = state.log.filter { $0.version > cursor }.map(\.id)
      let part = changed.dropFirst(from).prefix(state.pageSize)
      let end = from + part.count
      let page = SentPage(
        notes: part.compactMap { state.notes[$0] },
        removed: part.filter { state.notes[$0] == nil },
        next: end < changed.count ? "\(end)" : nil, cursor: "\(state.version)")
      return .response(body: (try? JSONEncoder().encode(page)) ?? Data())
    }
  }

  func save(_ request: WireRequest, isNew: Bool) -> StubAnswer {
    guard let body = try? request.body?.data(),
      let sent = try? JSONDecoder().decode(SentNote.self, from: body)
    else { return .status(400) }
    let known = state.withLock { $0.notes[sent.id] }
    if let refusal = refusal(request, known, isNew: isNew) { return refusal }
    change(sent.id, sent.text.trimmingCharacters(in: .whitespaces), isDone: sent.isDone)
    return answer(sent.id)
  }

  func remove(_ request: WireRequest) -> StubAnswer {
    let id = request.url.lastPathComponent
    let known = state.withLock { $0.notes[id] }
    if known == nil { return .status(404) }
    if let refusal = refusal(request, known, isNew: false) { return refusal }
    change(id, nil)
    return .status(204)
  }

  private func refusal(_ request: WireRequest, _ known: TestNote?, isNew: Bool) -> StubAnswer? {
    guard state.withLock(\.checksVersions) else { return nil }
    if isNew { return known.map { _ in .status(409) } }
    guard let known else { return .status(404) }
    return request.headers[.ifMatch] == known.tag ? nil : .status(412)
  }

  func answer(_ id: String) -> StubAnswer {
    guard let note = state.withLock({ $0.notes[id] }) else { return .status(404) }
    let body = (try? JSONEncoder().encode(note)) ?? Data()
    return .response(headers: [.eTag: note.tag ?? ""], body: body)
  }

  /// Answers the requests of a transport.
  func stub(_ transport: StubTransport) {
    transport.stub("GET /notes") { [self] request in
      let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
      func number(_ name: String) -> Int {
        items.first { $0.name == name }?.value.flatMap { Int($0) } ?? 0
      }
      return page(since: number("since"), from: number("from"))
    }
    transport.stub("GET /notes/*") { [self] in answer($0.url.lastPathComponent) }
    transport.stub("POST /notes") { [self] in save($0, isNew: true) }
    transport.stub("PUT /notes/*") { [self] in save($0, isNew: false) }
    transport.stub("DELETE /notes/*") { [self] in remove($0) }
  }
}

extension SyncOptions<TestNote> {
  /// The options for the server.
  mutating func useNoteServer() {
    pull = .changes { position in
      var request = Request.get("/notes")
      if let cursor = position.cursor { request.query.append(["since": cursor]) }
      if let page = position.page { request.query.append(["from": page]) }
      return Resource<SentPage>(json: request).map {
        SyncPage(rows: $0.notes, removed: $0.removed, next: $0.next, cursor: $0.cursor)
      }
    }
    create = { .post("/notes").json(SentNote(id: $0.id, text: $0.text, isDone: $0.isDone)) }
    update = {
      .put("/notes/\($0.id)").json(SentNote(id: $0.id, text: $0.text, isDone: $0.isDone))
    }
    remove = { .delete("/notes/\($0.id)") }
    version = .eTag(\.tag)
    elements.order = [TestNote.id.ascending]
  }
}

/// What one process has.
struct NoteProcess {
  let store: SQLiteStore
  let outbox: Outbox
  let notes: SyncedCollection<TestNote>

  @MainActor
  init(
    _ fixture: SyncFixture, _ configure: (inout SyncOptions<TestNote>) -> Void = { _ in }
  ) async throws {
    (store, outbox) = try await fixture.open()
    notes = try await SyncedCollection<TestNote>(outbox) {
      $0.useNoteServer()
      configure(&$0)
    }
  }

  /// The texts that are shown, by ids.
  @MainActor
  var shown: [String: String] {
    Dictionary(notes.elements.map { ($0.id, $0.text) }) { $1 }
  }

  /// The texts in the table.
  var texts: [String: String] {
    get async throws {
      Dictionary(try await store.select(TestNote.self).map { ($0.id, $0.text) }) { $1 }
    }
  }

  /// Waits until everything is sent.
  @MainActor
  func rest() async throws {
    try await until {
      try await outbox.count() == 0 && notes.waitingCount == 0 && notes.failures.isEmpty
    }
  }

  func close() async {
    await outbox.close()
    await store.close()
  }
}
