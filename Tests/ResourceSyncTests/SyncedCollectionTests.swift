import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceSync

@MainActor
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct SyncedCollectionTests {
  private func start() throws -> (SyncFixture, NoteServer) {
    let (fixture, server) = (try SyncFixture(), NoteServer())
    server.stub(fixture.transport)
    return (fixture, server)
  }

  private func offline() throws -> (SyncFixture, NoteServer) {
    var (fixture, server) = try start()
    fixture.settings.maximumConcurrency = 0
    return (fixture, server)
  }

  // Writes

  @Test func `a row is shown at once, and is as the server has it after the answer`() async throws {
    let (fixture, server) = try start()
    let gate = Gate()
    fixture.transport.stub("POST /notes") { server.save($0, isNew: true).waiting(for: gate) }
    let process = try await NoteProcess(fixture)

    try await process.notes.save(TestNote(id: "a", text: " bread "))
    try await until { process.shown == ["a": " bread "] }
    try await until { process.notes.waitingCount == 1 }
    gate.open()
    try await process.rest()
    try await until { process.shown == ["a": "bread"] }

    #expect(process.notes.elements.first?.tag == "\"1\"")
    #expect(server.texts == ["a": "bread"])
    await process.close()
  }

  @Test(arguments: [[0, 1, 0], [0, 1, 2, 1], [0, 0]])
  func `a pull whose pages lead in a circle ends with an error`(_ pages: [Int]) async throws {
    let (fixture, _) = try offline()
    let count = Mutex(0)
    // A pull that goes on ends after some pages even so.
    fixture.transport.stub("GET /notes") { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .status(number < 20 ? 200 : 500)
    }
    let process = try await NoteProcess(fixture) {
      $0.pull = .listing { position in
        let number = position.page.flatMap { Int($0) } ?? pages[0]
        let next = pages[(pages.firstIndex(of: number) ?? 0) + 1]
        return Resource(.get("/notes")) { _ in SyncPage(rows: [], next: "\(next)") }
      }
    }

    let error = await #expect(throws: LoadError.self) { try await process.notes.sync() }

    #expect(error?.kind == .paging)
    #expect(fixture.sent.count <= pages.count)
    await process.close()
  }

  @Test func `damaged numbers of a collection's state end no process`() async throws {
    let (fixture, server) = try start()
    server.change("a", "bread")
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()
    _ = try await process.store.transaction { transaction in
      try transaction.connection.execute(
        #"UPDATE "Sync collections 1" SET (epoch, time, pull) = (?1, ?1, ?1)"#,
        [.integer(.max)])
    }

    server.change("b", "milk")
    try await process.notes.sync()
    try await process.notes.edit("a") { $0.text = "butter" }
    try await process.rest()
    try await process.notes.sync()
    #expect(try await process.texts == ["a": "butter", "b": "milk"])
    try await process.notes.removeAll()

    #expect(try await process.texts.isEmpty)
    await process.close()
  }

  @Test func `a list goes on after a read that has failed`() async throws {
    let (fixture, _) = try offline()
    let process = try await NoteProcess(fixture)
    try await process.notes.save(TestNote(id: "a", text: "bread"))
    let list = process.notes.list(of: Selection())
    try await until { list.elements.count == 1 }

    try await process.store.transaction { transaction in
      try transaction.connection.execute(#"UPDATE TestNote SET isDone = 'neither'"#)
      transaction.connection.changedTables.insert(TestNote.table.foldedName)
    }
    try await until { list.error != nil }
    #expect(list.elements.count == 1)
    try await process.store.upsert(TestNote(id: "a", text: "butter"))

    try await until { list.elements.first?.text == "butter" }
    #expect(list.error == nil)
    await process.close()
  }

  @Test func `a write that is too old stays shown and is in the failures, and can be retried`()
    async throws
  {
    var (fixture, server) = try start()
    fixture.settings.maximumAge = .seconds(3600)
    fixture.settings.checkInterval = .seconds(600)
    let process = try await NoteProcess(fixture)
    try await process.outbox.pause()
    try await process.notes.save(TestNote(id: "a", text: "bread"))

    try await fixture.clock.waitForSleepers(count: 1, within: .seconds(600))
    fixture.clock.advance(by: .seconds(7200))
    try await until { !process.notes.failures.isEmpty }
    let failure = try #require(process.notes.failures.first)
    #expect(failure.error.reason.contains("older than maximumAge"))
    #expect(try await process.texts == ["a": "bread"])

    try await process.outbox.resume()
    try await process.notes.retry(failure)
    try await process.rest()
    #expect(server.texts == ["a": "bread"])
    await process.close()
  }

  @Test func `the next run shows what waits, and sends it`() async throws {
    var (fixture, server) = try offline()
    let first = try await NoteProcess(fixture)
    try await first.notes.save(TestNote(id: "a", text: "bread"))
    try await first.notes.save(TestNote(id: "b", text: "milk"))
    await first.close()

    let second = try await NoteProcess(fixture)
    try await until { second.shown == ["a": "bread", "b": "milk"] }
    try await until { second.notes.waitingCount == 2 }
    await second.close()
    fixture.settings.maximumConcurrency = 4
    let third = try await NoteProcess(fixture)
    try await third.rest()

    #expect(server.texts == ["a": "bread", "b": "milk"])
    await third.close()
  }

  @Test func `edits that wait become one write, and one that was undone isn't sent`() async throws {
    let (fixture, server) = try offline()
    server.change("b", "milk")
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()

    for text in ["bread", "butter", "jam"] {
      try await process.notes.save(TestNote(id: "a", text: text))
    }
    try await process.notes.edit("b") { $0.text = "cream" }
    try await process.notes.edit("b") { $0.text = "milk" }
    try await process.notes.save(TestNote(id: "c", text: "a mistake"))
    try await process.notes.remove("c")

    let entries = try await process.outbox.currentEntries()
    #expect(entries.map(\.method) == [.post])
    #expect(try await process.texts == ["a": "jam", "b": "milk"])
    await process.close()
  }

  @Test func `a row that is changed while it is being sent is sent again, over its new version`()
    async throws
  {
    let (fixture, server) = try start()
    server.change("a", "bread")
    let gate = Gate()
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()
    fixture.transport.stub("PUT /notes/a") { server.save($0, isNew: false).waiting(for: gate) }

    try await process.notes.edit("a") { $0.text = "butter " }
    try await gate.waitForArrivals(count: 1)
    try await process.notes.edit("a") { $0.isDone = true }
    try await process.notes.edit("a") { $0.text = "jam" }
    gate.open()
    try await process.rest()

    #expect(fixture.sent.filter { $0.hasPrefix("PUT") }.count == 2)
    #expect(server.texts == ["a": "jam"])
    try await until {
      process.notes.elements == [TestNote(id: "a", text: "jam", isDone: true, tag: "\"3\"")]
    }
    await process.close()
  }

  @Test func `a row that the server doesn't have anymore counts as removed`() async throws {
    let (fixture, server) = try start()
    server.change("a", "bread")
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()
    server.change("a", nil)

    try await process.notes.remove("a")
    try await process.rest()

    #expect(process.notes.failures.isEmpty)
    #expect(try await process.texts.isEmpty)
    await process.close()
  }

  @Test func `a refused write stays visible until the user has decided`() async throws {
    let (fixture, server) = try start()
    server.change("a", "bread")
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()
    fixture.transport.stub("PUT /notes/a", .status(422), .status(422))

    try await process.notes.edit("a") { $0.text = "" }
    try await until { process.notes.failures.count == 1 }
    #expect(process.notes.failures[0].error.response?.status == 422)
    #expect(process.notes.failures[0].conflict.mine?.text == "")
    #expect(process.notes.failures[0].conflict.base?.text == "bread")
    try await process.notes.drop(process.notes.failures[0])
    #expect(try await process.texts == ["a": "bread"])

    try await process.notes.edit("a") { $0.text = "" }
    try await until { process.notes.failures.count == 1 }
    fixture.transport.stub("PUT /notes/a") { server.save($0, isNew: false) }
    try await process.notes.edit("a") { $0.text = "butter" }
    try await process.rest()

    #expect(process.notes.failures.isEmpty)
    #expect(server.texts == ["a": "butter"])
    await process.close()
  }

  // Pulls and writes

  @Test func `a pull leaves what waits as the user left it`() async throws {
    let (fixture, server) = try offline()
    for id in ["a", "b", "c"] { server.change(id, id) }
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()
    try await process.notes.edit("a") { $0.text = "mine" }
    try await process.notes.remove("b")
    try await process.notes.save(TestNote(id: "new", text: "new"))

    server.change("a", "a", isDone: true)
    server.change("c", "theirs")
    try await process.notes.sync()

    #expect(try await process.texts == ["a": "mine", "c": "theirs", "new": "new"])
    let merged = try await process.store.first(where: TestNote.id == "a")
    #expect(merged == TestNote(id: "a", text: "mine", isDone: true, tag: "\"4\""))
    await process.close()
  }

  @Test func `a pull that began before a write was answered doesn't undo it`() async throws {
    let (fixture, server) = try start()
    server.state.withLock { $0.checksVersions = false }
    for (id, text) in [("a", "bread"), ("b", "milk")] { server.change(id, text) }
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()
    for (id, text) in [("a", "bread"), ("b", "milk")] { server.change(id, text, isDone: true) }
    let (gate, stale) = (Gate(), server.page(since: 2, from: 0))
    fixture.transport.stub("GET /notes", stale.waiting(for: gate))

    let pull = Task { try await process.notes.sync() }
    try await gate.waitForArrivals(count: 1)
    try await process.notes.edit("a") { $0.text = "butter" }
    try await process.notes.remove("b")
    try await until { try await process.outbox.count() == 0 }
    server.stub(fixture.transport)
    gate.open()
    try await pull.value
    #expect(try await process.texts == ["a": "butter"])
    // What it has passed over is pulled again, from the same cursor.
    try await until { fixture.sent.count { $0 == "GET /notes" } >= 3 }
    try await until { !process.notes.isSyncing }

    let pulls = fixture.transport.requests.filter { $0.method == .get }
    #expect(pulls[2].url.query() == "since=2")
    #expect(try await process.texts == ["a": "butter"])
    await process.close()
  }

  @Test func `removals arrive as tombstones, and by absence where everything is listed`()
    async throws
  {
    let (fixture, server) = try offline()
    for id in ["a", "b", "c"] { server.change(id, id) }
    server.state.withLock { $0.pageSize = 2 }
    let process = try await NoteProcess(fixture)
    try await process.notes.sync()
    try await process.notes.save(TestNote(id: "new", text: "new"))
    server.change("b", nil)
    try await process.notes.sync()
    #expect(try await process.texts == ["a": "a", "c": "c", "new": "new"])

    // The server has forgotten the cursor, so everything is listed.
    server.change("a", nil)
    server.state.withLock { state in
      state.log.removeAll { state.notes[$0.id] == nil }
      state.knowsCursor = false
    }
    try await process.notes.sync()

    #expect(try await process.texts == ["c": "c", "new": "new"])
    await process.close()
  }

  @Test func `a pull goes on where it was, also in the next run`() async throws {
    let (fixture, server) = try start()
    for number in 1...6 { server.change("\(number)", "\(number)") }
    server.state.withLock { $0.pageSize = 2 }
    fixture.transport.stub("GET /notes") { request in
      request.url.query()?.contains("from=4") == true
        ? .error(LoadError(.connection, "lost"))
        : server.page(
          since: 0, from: request.url.query()?.contains("from=2") == true ? 2 : 0)
    }
    let first = try await NoteProcess(fixture)
    await #expect(throws: LoadError.self) { try await first.notes.sync() }
    #expect(first.notes.error != nil)
    #expect(try await first.texts.count == 4)
    await first.close()
    server.stub(fixture.transport)

    let second = try await NoteProcess(fixture)
    try await second.notes.sync()

    #expect(try await second.texts.count == 6)
    let queries = fixture.transport.requests.map { $0.url.query() ?? "" }
    #expect(queries == ["", "from=2", "from=4", "from=4"])
    #expect(second.notes.pulled != nil && second.notes.error == nil)
    await second.close()
  }

  @Test func `what hasn't changed isn't sent by the server`() async throws {
    let fixture = try SyncFixture()
    fixture.transport.stub("GET /notes") { request in
      if request.headers[.ifNoneMatch] == "\"x\"" { return .status(.notModified) }
      let body = Data(#"[{"id": "a", "text": "bread", "isDone": false}]"#.utf8)
      return .response(headers: [.eTag: "\"x\""], body: body)
    }
    let process = try await NoteProcess(fixture) {
      $0.pull = .array(Resource(json: .get("/notes")))
    }
    try await process.notes.sync()
    let first = process.notes.pulled
    fixture.clock.advance(by: .seconds(60))

    try await process.notes.sync()

    #expect(fixture.transport.requests.last?.headers[.ifNoneMatch] == "\"x\"")
    #expect(try await process.texts == ["a": "bread"])
    #expect(process.notes.pulled != first)
    await process.close()
  }
}
