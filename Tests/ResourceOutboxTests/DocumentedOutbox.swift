import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing
import UploadTestSupport

extension OutboxKey {
  static func note(_ id: UUID) -> OutboxKey { "note \(id)" }
}

extension OutboxKey {
  fileprivate static func file(_ url: URL) -> OutboxKey { "file \(url.lastPathComponent)" }
  fileprivate static func issue(_ id: UUID) -> OutboxKey { "issue \(id)" }
  fileprivate static func comment(_ id: UUID) -> OutboxKey { "comment \(id)" }
}

/// The samples of the outbox's documentation, word for word; `DocumentationTests` compares them.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct DocumentedOutbox {
  private struct Note: StoredModel, Identifiable, Equatable {
    var id: UUID
    var text: String

    static var table: String { "Outbox note" }
  }

  private let transport = StubTransport()
  private let note = Note(id: UUID(), text: "a")

  private var client: Client {
    transport.stub("*", .json(#"{"number": 17}"#))
    return Client(baseURL: "https://api.example.org") { $0.transport = transport }
  }

  @Test func `a note is sent, also from a transaction`() async throws {
    let (store, client) = (try await SQLiteStore.inMemory(), client)
    let note = note

    let outbox = try await Outbox(store: store, client: client)
    let receipt = try await outbox.add(.put("/notes/\(note.id)").json(note), as: .note(note.id))
    let answer = try await receipt.answer()
    #expect(answer.status == 200)

    try await store.transaction { transaction in
      try transaction.upsert(note)
      try outbox.add(.put("/notes/\(note.id)").json(note), as: .note(note.id), in: transaction)
    }

    try await transport.waitForRequests(count: 2)
    #expect(try await store.count(Note.self) == 1)
    await outbox.close()
  }

  @Test func `a large file is uploaded`() async throws {
    let server = try UploadServer().start()
    defer { server.stop() }
    let store = try await SQLiteStore.inMemory()
    let outbox = try await Outbox(store: store, client: Client(baseURL: server.url()))
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try Data("content".utf8).write(to: file)

    let receipt = try await outbox.add(.upload(.post("/files"), file: file), as: .file(file))
    if let id = receipt.id {
      for await step in try await outbox.progress(of: id) { print(step.fraction ?? 0) }
    }

    #expect(try await receipt.answer().status == 200)
    await outbox.close()
  }

  @Test func `a change is shown until its response arrives`() async throws {
    let (store, client) = (try await SQLiteStore.inMemory(), client)
    let note = Note(id: note.id, text: "b")
    let outbox = try await Outbox(store: store, client: client)
    try await outbox.pause()

    try await outbox.add(.put("/notes/\(note.id)").json(note), as: .note(note.id)) {
      $0.compaction = .replacing
      try $0.attach(note)
    }

    try await follow(outbox, Note(id: note.id, text: "a"), until: note)
    await outbox.close()
  }

  private func follow(_ outbox: Outbox, _ note: Note, until last: Note) async throws {
    let (shown, showing) = AsyncStream.makeStream(of: Note.self)
    let show: @Sendable (Note) -> Void = { showing.yield($0) }
    let following = Task {
      for try await entries in outbox.entries(of: .note(note.id)) {
        show(try entries.last?.payload(as: Note.self) ?? note)
      }
    }
    #expect(await shown.first { _ in true } == last)
    try await outbox.resume()
    #expect(await shown.first { $0 == note } == note)
    following.cancel()
  }

  @Test func `a note that was never created needs no deletion`() async throws {
    let (store, client) = (try await SQLiteStore.inMemory(), client)
    let outbox = try await Outbox(store: store, client: client)
    try await outbox.pause()

    try await outbox.add(.post("/notes").json(note), as: .note(note.id)) {
      $0.isCreation = true
    }
    try await outbox.add(.delete("/notes/\(note.id)"), as: .note(note.id)) {
      $0.compaction = .cancelling
    }

    #expect(try await outbox.count() == 0)
    await outbox.close()
  }

  @Test func `a comment has the number of its issue`() async throws {
    struct Draft: Encodable { var id = UUID() }
    let (draft, comment) = (Draft(), Draft())
    let (store, client) = (try await SQLiteStore.inMemory(), client)
    let outbox = try await Outbox(store: store, client: client)

    let issue = OutboxPlaceholder(draft.id)
    try await outbox.add(.post("/issues").json(draft), as: .issue(draft.id)) {
      $0.placeholders[issue] = .json("/number")
    }
    try await outbox.add(.post("/issues/\(issue)/comments").json(comment), as: .comment(comment.id))

    let requests = try await transport.waitForRequests(count: 2)
    #expect(requests.map { $0.url.path() } == ["/issues", "/issues/17/comments"])
    await outbox.close()
  }

  @Test func `every sample of the documentation is compiled`() throws {
    let compiled = DocumentationSamples.trimmed(
      try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))

    for sample in try DocumentationSamples.all(in: "Sources/ResourceOutbox") {
      #expect(compiled.contains(sample), "not compiled:\n\(sample)")
    }
  }
}
