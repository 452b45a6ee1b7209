import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceSync

/// A folder whose id the server gives.
private struct Folder: SyncedModel, Equatable {
  var id: ServerID
  var name: String
}

/// A paper in a folder.
private struct Paper: SyncedModel, Equatable {
  var id: ServerID
  var folder: ServerID
  var title: String
}

/// A seat whose id is a structure.
private struct Seat: SyncedModel, Equatable {
  struct Place: Codable, Hashable {
    var row: Int
    var column: Int
  }

  var id: Place
  var guest: String
}

/// A row with a value that no error shows.
private struct Account: SyncedModel, Equatable {
  var id: String
  var name: String
  var isShared = false
  var password = "swordfish"
}

@MainActor
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct SyncConflictTests {
  private func start() throws -> (SyncFixture, NoteServer) {
    let (fixture, server) = (try SyncFixture(), NoteServer())
    server.stub(fixture.transport)
    server.change("a", "bread")
    return (fixture, server)
  }

  @Test func `fields that only one side has changed don't conflict`() async throws {
    let (fixture, server) = try start()
    let process = try await NoteProcess(fixture) {
      $0.fetch = { Resource(json: .get("/notes/\($0)")) }
    }
    try await process.notes.sync()
    server.change("a", "bread", isDone: true)

    try await process.notes.edit("a") { $0.text = "butter" }
    try await process.rest()

    let note = TestNote(id: "a", text: "butter", isDone: true, tag: "\"3\"")
    #expect(server.state.withLock { $0.notes["a"] } == note)
    #expect(try await process.store.select(TestNote.self) == [note])
    #expect(process.notes.failures.isEmpty)
    await process.close()
  }

  @Test func `a listing keeps rows whose ids their columns have in another form`() async throws {
    let fixture = try SyncFixture()
    let seats = [
      Seat(id: .init(row: 1, column: 2), guest: "Ada"),
      Seat(id: .init(row: 2, column: 1), guest: "Bob"),
    ]
    let folders = ["true", "[1]", "7"].map { Folder(id: ServerID($0), name: $0) }
    fixture.transport.stub("GET /seats", .response(body: try JSONEncoder().encode(seats)))
    fixture.transport.stub("GET /folders", .response(body: try JSONEncoder().encode(folders)))
    let (store, outbox) = try await fixture.open()

    let synced = try await SyncedCollection<Seat>(outbox) {
      $0.pull = .array(Resource(json: .get("/seats")))
    }
    try await synced.sync()
    let others = try await SyncedCollection<Folder>(outbox) {
      $0.pull = .array(Resource(json: .get("/folders")))
    }
    try await others.sync()

    #expect(try await store.select(order: Column("guest", \Seat.guest).ascending) == seats)
    #expect(try await Set(store.select(Folder.self).map(\.name)) == ["true", "[1]", "7"])
    await outbox.close()
    await store.close()
  }

  @Test func `what an error leaves out of a conflict's answer isn't taken for the server's`()
    async throws
  {
    let fixture = try SyncFixture()
    let server = Mutex(Account(id: "a", name: "one"))
    fixture.transport.stub("GET /accounts") { _ in
      .response(body: (try? JSONEncoder().encode([server.withLock(\.self)])) ?? Data())
    }
    fixture.transport.stub("PUT /accounts/a") { request in
      let body = (try? request.body?.data()) ?? Data()
      guard let sent = try? JSONDecoder().decode(Account.self, from: body) else {
        return .status(400)
      }
      return server.withLock { account in
        let status: Status = sent.isShared == account.isShared ? .ok : .conflict
        if status == .ok { account = sent }
        return .response(status: status, body: (try? JSONEncoder().encode(account)) ?? Data())
      }
    }
    let (store, outbox) = try await fixture.open()
    let accounts = try await SyncedCollection<Account>(outbox) {
      $0.pull = .array(Resource(json: .get("/accounts")))
      $0.update = { .put("/accounts/\($0.id)").json($0) }
    }
    try await accounts.sync()
    server.withLock { $0.isShared = true }

    try await accounts.edit("a") { $0.name = "two" }
    try await until { server.withLock { $0.name == "two" } }
    try await until { try await outbox.count() == 0 && accounts.waitingCount == 0 }

    let account = Account(id: "a", name: "two", isShared: true)
    #expect(server.withLock(\.self) == account)
    #expect(try await store.select(Account.self) == [account])
    await outbox.close()
    await store.close()
  }

  @Test func `a conflict goes to the closure, and its result is sent`() async throws {
    let (fixture, server) = try start()
    let seen = Mutex<[SyncConflict<TestNote>]>([])
    let process = try await NoteProcess(fixture) {
      $0.conflict = { conflict in
        seen.withLock { $0.append(conflict) }
        dispatchPrecondition(condition: .notOnQueue(.main))
        var mine = conflict.mine
        mine?.text += " and \(conflict.theirs?.text ?? "nothing")"
        return mine
      }
    }
    try await process.notes.sync()
    server.change("a", "milk")

    // The answer has no row, so a pull tells what the server has.
    try await process.notes.edit("a") { $0.text = "butter" }
    try await until { server.texts["a"] == "butter and milk" }
    try await process.rest()

    #expect(seen.withLock { $0.count } == 1)
    let conflict = seen.withLock(\.first)
    #expect(conflict?.base?.text == "bread")
    #expect(conflict?.mine?.text == "butter")
    #expect(conflict?.theirs?.text == "milk")
    #expect(try await process.texts == ["a": "butter and milk"])
    await process.close()
  }

  @Test func `without a closure a conflict is visible, and the user decides`() async throws {
    let (fixture, server) = try start()
    let process = try await NoteProcess(fixture) {
      $0.fetch = { Resource(json: .get("/notes/\($0)")) }
    }
    try await process.notes.sync()

    server.change("a", "milk")
    try await process.notes.edit("a") { $0.text = "butter" }
    try await until { process.notes.failures.first?.conflict.theirs?.text == "milk" }
    #expect(try await process.texts == ["a": "butter"])
    try await process.notes.drop(process.notes.failures[0])
    #expect(try await process.texts == ["a": "milk"])
    try await until { process.notes.failures.isEmpty }

    server.change("a", "cream")
    try await process.notes.edit("a") { $0.text = "butter" }
    try await until { process.notes.failures.first?.conflict.theirs?.text == "cream" }
    try await process.notes.retry(process.notes.failures[0])
    try await process.rest()
    #expect(server.texts == ["a": "butter"])
    await process.close()
  }

  @Test func `a change that meets a removal is a conflict`() async throws {
    let (fixture, server) = try start()
    server.change("b", "milk")
    let process = try await NoteProcess(fixture) {
      $0.conflict = { $0.base?.id == "a" ? $0.mine : $0.theirs }
    }
    try await process.notes.sync()
    server.change("a", nil)
    server.change("b", nil)

    for id in ["a", "b"] { try await process.notes.edit(id) { $0.text = "mine" } }
    try await until { server.texts == ["a": "mine"] }
    try await process.rest()

    #expect(try await process.texts == ["a": "mine"])
    await process.close()
  }

  @Test func `a server without versions is asked about conflicts by pulls`() async throws {
    var (fixture, server) = try start()
    server.state.withLock { $0.checksVersions = false }
    fixture.settings.maximumConcurrency = 0
    let process = try await NoteProcess(fixture) { $0.version = nil }
    try await process.notes.sync()
    try await process.notes.edit("a") { $0.text = "butter" }
    server.change("a", "milk")

    try await process.notes.sync()

    try await until { process.notes.failures.first?.error.kind == .conflict }
    #expect(process.notes.failures.first?.conflict.theirs?.text == "milk")
    #expect(try await process.texts == ["a": "butter"])
    await process.close()
  }

  @Test func `a refusal for another reason than a conflict is tried once`() async throws {
    let (fixture, server) = try start()
    let process = try await NoteProcess(fixture) {
      $0.fetch = { Resource(json: .get("/notes/\($0)")) }
    }
    try await process.notes.sync()
    fixture.transport.stub("PUT /notes/a", .status(409), .status(409), .status(409))

    try await process.notes.edit("a") { $0.text = "a title that is taken" }
    try await until { process.notes.failures.count == 1 }
    try await process.notes.sync()
    try await process.notes.sync()

    #expect(fixture.sent.filter { $0.hasPrefix("PUT") }.count == 1)
    #expect(server.texts == ["a": "bread"])
    await process.close()
  }

  @Test func `signing out removes everything, and drops what comes late`() async throws {
    let (fixture, server) = try start()
    let (answer, page) = (Gate(), Gate())
    fixture.transport.stub("POST /notes") { server.save($0, isNew: true).waiting(for: answer) }
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()
    fixture.transport.stub("GET /notes") { _ in server.page(since: 0, from: 0).waiting(for: page) }
    try await process.notes.save(TestNote(id: "b", text: "milk"))
    let pull = Task { try? await process.notes.sync() }
    try await answer.waitForArrivals(count: 1)
    try await page.waitForArrivals(count: 1)

    try await process.notes.removeAll()
    #expect(try await process.texts.isEmpty)
    answer.open()
    page.open()
    await pull.value
    await process.outbox.close()

    #expect(try await process.texts.isEmpty)
    #expect(try await process.outbox.count() == 0)
    await process.store.close()
  }

  @Test func `what a share extension writes is shown and sent by the app`() async throws {
    var (fixture, server) = try start()
    let app = try await NoteProcess(fixture)
    try await app.notes.sync()
    fixture.settings.maximumConcurrency = 0
    let share = try await NoteProcess(fixture)

    try await share.notes.save(TestNote(id: "b", text: "milk"))
    // Each has a date of its own, which stands still.
    fixture.clock.advance(by: .seconds(1))
    try await until {
      try await app.store.checkForOtherProcesses()
      return app.shown == ["a": "bread", "b": "milk"] && server.texts["b"] == "milk"
    }
    try await app.rest()
    try await until {
      try await share.store.checkForOtherProcesses()
      return share.notes.waitingCount == 0
    }

    #expect(try await share.texts == ["a": "bread", "b": "milk"])
    await share.close()
    await app.close()
  }

  @Test func `writes of an earlier run wait for their collection`() async throws {
    var (fixture, server) = try start()
    fixture.settings.maximumConcurrency = 0
    let app = try await NoteProcess(fixture)
    try await app.notes.save(TestNote(id: "b", text: " milk "))
    await app.close()
    fixture.settings.maximumConcurrency = 4
    fixture.transport.stub("PUT /others/1") { _ in .status(204) }
    let (store, outbox) = try await fixture.open()
    // It is sent after the other one would have been.
    _ = try await outbox.add(.put("/others/1"), as: "other").answer()
    #expect(fixture.sent == ["PUT /others/1"])
    #expect(try await outbox.currentEntries().map(\.state) == [.waiting])

    let notes = try await SyncedCollection<TestNote>(outbox) { $0.useNoteServer() }

    try await until { try await outbox.count() == 0 && notes.waitingCount == 0 }
    #expect(try await store.select(TestNote.self).map(\.text) == ["milk"])
    #expect(server.texts["b"] == "milk")
    await outbox.close()
    await store.close()
  }

  @Test func `a write that was dropped where the collection wasn't open is taken back`()
    async throws
  {
    var (fixture, _) = try start()
    fixture.settings.maximumConcurrency = 0
    let app = try await NoteProcess(fixture)
    try await app.notes.save(TestNote(id: "b", text: "milk"))
    await app.close()
    let (store, outbox) = try await fixture.open()
    for entry in try await outbox.currentEntries() { try await outbox.drop(entry.id) }
    await outbox.close()
    await store.close()

    let next = try await NoteProcess(fixture)

    #expect(try await next.texts.isEmpty)
    await next.close()
  }

  @Test func `an answer that comes after the outbox was released is taken over`() async throws {
    let (fixture, server) = try start()
    let gate = Gate()
    fixture.transport.stub("POST /notes") { server.save($0, isNew: true).waiting(for: gate) }
    var process: NoteProcess? = try await NoteProcess(fixture)
    let store = process?.store
    try await process?.notes.save(TestNote(id: "b", text: " milk "))
    _ = try await fixture.transport.waitForRequests(count: 1)
    weak let outbox = process?.outbox

    process = nil
    // What it was doing may still hold it.
    try await until { outbox == nil }
    gate.open()
    try await until { try await store?.select(TestNote.self).map(\.text) == ["milk"] }

    await store?.close()
    let next = try await NoteProcess(fixture)
    #expect(try await next.texts == ["b": "milk"])
    #expect(try await next.outbox.count() == 0)
    await next.close()
  }

  @Test func `a closure that waits for the user is asked once, and again if the server changes`()
    async throws
  {
    let (fixture, server) = try start()
    let seen = Mutex<[String]>([])
    let gates = [Gate(), Gate()]
    let process = try await NoteProcess(fixture) {
      $0.conflict = { conflict in
        let number = seen.withLock { seen in
          seen.append(conflict.theirs?.text ?? "nothing")
          return seen.count
        }
        if number <= gates.count { try await gates[number - 1].opened() }
        return conflict.mine
      }
    }
    try await process.notes.sync()
    server.change("a", "milk")
    try await process.notes.edit("a") { $0.text = "butter" }
    try await until { seen.withLock(\.count) == 1 }

    try await process.notes.sync()
    try await process.notes.sync()
    #expect(seen.withLock(\.self) == ["milk"])
    server.change("a", "cream")
    try await process.notes.sync()
    gates[0].open()
    try await until { seen.withLock(\.count) == 2 }
    gates[1].open()
    try await process.rest()

    #expect(seen.withLock(\.self) == ["milk", "cream"])
    #expect(server.texts["a"] == "butter")
    await process.close()
  }

  @Test func `ids that the server gives are put into later writes, and into other collections`()
    async throws
  {
    let fixture = try SyncFixture()
    let gate = Gate()
    fixture.transport.stub(
      "POST /folders", .json(#"{"id": 7, "name": "Taxes"}"#).waiting(for: gate))
    fixture.transport.stub("POST /papers", .json(#"{"id": 8, "folder": 7, "title": "2026"}"#))
    fixture.transport.stub("PUT /folders/7", .json(#"{"id": 7, "name": "Old taxes"}"#))
    let (store, outbox) = try await fixture.open()
    let folders = try await SyncedCollection<Folder>(outbox) {
      $0.create = { .post("/folders").json(["name": $0.name]) }
      $0.update = { .put("/folders/\($0.id)").json(["name": $0.name]) }
    }
    let papers = try await SyncedCollection<Paper>(outbox) {
      $0.create = { .post("/papers").json($0) }
      $0.references = ["folder"]
    }
    let folder = Folder(id: ServerID(), name: "Taxes")

    try await store.transaction { transaction in
      try folders.save(folder, in: transaction)
      try papers.save(
        Paper(id: ServerID(), folder: folder.id, title: "2026"), in: transaction)
    }
    try await gate.waitForArrivals(count: 1)
    try await folders.edit(folder.id) { $0.name = "Old taxes" }
    #expect(try await store.first(Folder.self)?.id.isLocal == true)
    gate.open()
    try await until { try await outbox.count() == 0 }

    #expect(try await store.select(Folder.self) == [Folder(id: 7, name: "Old taxes")])
    #expect(try await store.select(Paper.self) == [Paper(id: 8, folder: 7, title: "2026")])
    #expect(Set(fixture.sent) == ["POST /folders", "PUT /folders/7", "POST /papers"])
    let paper = fixture.transport.requests.first { $0.url.path() == "/papers" }
    let body = try JSONValue(parsing: paper?.body?.data() ?? Data())
    #expect(body["folder"]?.integer == 7)
    await outbox.close()
    await store.close()
  }

  @Test func `a row that another device has removed before its answer came doesn't stay`()
    async throws
  {
    let fixture = try SyncFixture()
    let gate = Gate()
    fixture.transport.stub(
      "POST /folders", .json(#"{"id": 7, "name": "Taxes"}"#).waiting(for: gate))
    fixture.transport.stub("GET /folders") {
      $0.url.query() == nil ? .json("[7]") : .json("[]")
    }
    let (store, outbox) = try await fixture.open()
    let folders = try await SyncedCollection<Folder>(outbox) {
      $0.create = { .post("/folders").json(["name": $0.name]) }
      $0.pull = .changes { position in
        var request = Request.get("/folders")
        if let cursor = position.cursor { request.query.append(["since": cursor]) }
        return Resource<[ServerID]>(json: request).map {
          SyncPage(rows: [], removed: $0, cursor: "1")
        }
      }
    }

    try await folders.save(Folder(id: ServerID(), name: "Taxes"))
    try await gate.waitForArrivals(count: 1)
    // The id says nothing to this device, whose row has none yet.
    try await folders.sync()
    gate.open()
    try await until { try await outbox.count() == 0 }
    try await folders.sync()

    try await until { try await store.select(Folder.self).isEmpty }
    await outbox.close()
    await store.close()
  }

  @Test func `a creation that was refused needs no decision after the row was removed`()
    async throws
  {
    let fixture = try SyncFixture()
    let gate = Gate()
    fixture.transport.stub("POST /folders", .status(410).waiting(for: gate))
    let (store, outbox) = try await fixture.open()
    let folders = try await SyncedCollection<Folder>(outbox) {
      $0.create = { .post("/folders").json(["name": $0.name]) }
      $0.remove = { .delete("/folders/\($0.id)") }
    }
    let folder = Folder(id: ServerID(), name: "Taxes")

    try await folders.save(folder)
    try await gate.waitForArrivals(count: 1)
    try await folders.remove(folder.id)
    gate.open()

    try await until { try await outbox.count() == 0 }
    try await until { folders.failures.isEmpty }
    #expect(fixture.sent == ["POST /folders"])
    #expect(try await store.select(Folder.self).isEmpty)
    await outbox.close()
    await store.close()
  }

  @Test func `a list has as many rows as it shows`() async throws {
    let (fixture, server) = try start()
    for number in 0..<20 { server.change("n\(100 + number)", "\(number)") }
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()

    let list = process.notes.list(of: Selection(order: [TestNote.id.descending], limit: 5))
    try await until { list.elements.map(\.text) == ["19", "18", "17", "16", "15"] }
    #expect(list.hasMore)
    list.showMore(20)
    try await until { list.elements.count == 21 }

    #expect(!list.hasMore)
    await process.close()
  }
}
