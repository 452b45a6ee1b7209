import Foundation
import ResourceCache
import ResourceLoading
import ResourceOutbox
import ResourceState
import ResourceStore
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceSync

/// A server with texts by their names.
private final class TextServer: Sendable {
  let texts = Mutex<[String: String]>(["a": "one", "b": "two"])

  func stub(_ fixture: SyncFixture, headers: Headers = [:]) {
    fixture.transport.stub("GET /texts") { [self] _ in
      .response(headers: headers, body: Data(texts.withLock { $0.json }.utf8))
    }
    fixture.transport.stub("PUT /texts/*") { [self] request in
      let text = String(decoding: (try? request.body?.data()) ?? Data(), as: UTF8.self)
      texts.withLock { $0[request.url.lastPathComponent] = text }
      return .json(["saved": text].json)
    }
  }
}

extension [String: String] {
  fileprivate var json: String {
    "{" + sorted { $0.key < $1.key }.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
  }
}

private struct SaveText: DurableChange {
  var name: String
  var text: String

  func apply(to changes: inout LiveChanges) {
    changes.update(.texts) { [name, text] in $0[name] = text }
  }

  func confirm(_ answer: Response, in changes: inout LiveChanges) throws {
    let saved = try JSONDecoder().decode([String: String].self, from: answer.body)["saved"]
    changes.update(.texts) { [name] in $0[name] = saved }
  }
}

extension Resource where R == [String: String] {
  fileprivate static var texts: Self { Resource(json: .get("/texts")) }
}

/// What one process has.
@MainActor
private struct Process {
  let store: SQLiteStore
  let outbox: Outbox
  let live: LiveResources
  let writes: DurableWrites
  let texts: LiveResource<[String: String]>

  init(_ fixture: SyncFixture, cache: HTTPCache? = nil) async throws {
    let client = fixture.client(cache.map { [$0] } ?? [])
    (store, outbox) = try await fixture.open(client)
    var options = LiveOptions()
    options.deduplication = .zero
    live = LiveResources(client, options: options, clock: fixture.clock)
    writes = try await DurableWrites(live, outbox, SaveText.self)
    texts = live.resource(.texts)
    _ = texts.value
  }

  func save(_ name: String, _ text: String) async throws {
    try await writes.send(
      .put("/texts/\(name)").body(.text(text)), as: "text \(name)",
      SaveText(name: name, text: text))
  }

  func shown(_ name: String, _ text: String?) async throws {
    try await until { texts.value != nil && texts.value?[name] == text }
  }

  func close() async {
    live.removeAll()
    await outbox.close()
    await store.close()
  }
}

/// A text in a list that is loaded by pages.
private struct ListedText: Codable, Identifiable, Equatable {
  var id: String
}

private struct AddText: DurableChange {
  var id: String

  func apply(to changes: inout LiveChanges) {
    changes.update(pagesOf: .list) { [id] in
      if !$0.contains(where: { $0.id == id }) { $0.append(ListedText(id: id)) }
    }
  }
}

extension Resource where R == [ListedText] {
  fileprivate static var list: Self { Resource(json: .get("/list")) }
}

@MainActor
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct DurableWritesTests {
  @Test func `pages show the writes of an earlier run until they are answered`() async throws {
    var fixture = try SyncFixture()
    let texts = Mutex(["a"])
    fixture.transport.stub("GET /list") { request in
      let page = request.url.query == "page=1" ? texts.withLock(\.self) : []
      return .json("[" + page.map { "{\"id\": \"\($0)\"}" }.joined(separator: ",") + "]")
    }
    fixture.transport.stub("POST /list") { _ in
      texts.withLock { $0.append("b") }
      return .status(.created)
    }
    fixture.settings.maximumConcurrency = 0
    var (store, outbox) = try await fixture.open()
    var live = LiveResources(fixture.client(), clock: fixture.clock)
    var pages = live.pages(of: .list, by: .page("page"))
    var writes = try await DurableWrites(live, outbox, AddText.self)
    await pages.loadNext()
    try await writes.send(.post("/list"), as: "list", AddText(id: "b"))
    #expect(pages.elements.map(\.id) == ["a", "b"])
    await outbox.close()
    await store.close()

    fixture.settings.maximumConcurrency = 1
    let gate = Gate()
    fixture.transport.stub("POST /list") { _ in
      texts.withLock { $0.append("b") }
      return .status(.created).waiting(for: gate)
    }
    (store, outbox) = try await fixture.open()
    live = LiveResources(fixture.client(), clock: fixture.clock)
    writes = try await DurableWrites(live, outbox, AddText.self)
    pages = live.pages(of: .list, by: .page("page"))
    #expect(pages.elements.isEmpty)
    try await until { pages.elements.map(\.id) == ["a", "b"] }
    gate.open()
    try await until { writes.waitingCount == 0 && !pages.isStale && !pages.isLoading }
    #expect(pages.elements.map(\.id) == ["a", "b"])

    live.removeAll()
    await outbox.close()
    await store.close()
  }

  @Test func `a write is shown at once, and its answer becomes part of the value`() async throws {
    let (fixture, server, gate) = (try SyncFixture(), TextServer(), Gate())
    server.stub(fixture)
    fixture.transport.stub("PUT /texts/a") { _ in
      server.texts.withLock { $0["a"] = "ONE" }
      return .json(#"{"saved": "ONE"}"#).waiting(for: gate)
    }
    let process = try await Process(fixture)
    try await process.shown("a", "one")

    let saving = Task { try await process.save("a", "uno") }
    try await process.shown("a", "uno")
    try await saving.value
    #expect(process.writes.waitingCount == 1)
    gate.open()
    try await process.shown("a", "ONE")
    try await until { process.writes.waitingCount == 0 }

    #expect(process.texts.error == nil)
    await process.close()
  }

  @Test func `the next run shows the writes that wait on top of what the server has, in order`()
    async throws
  {
    var fixture = try SyncFixture()
    let server = TextServer()
    server.stub(fixture)
    fixture.settings.maximumConcurrency = 0
    let first = try await Process(fixture)
    try await first.shown("a", "one")
    for text in ["uno", "eins"] { try await first.save("a", text) }
    try await first.save("b", "due")
    await first.close()

    server.texts.withLock { $0["b"] = "TWO" }
    server.texts.withLock { $0["c"] = "three" }
    let second = try await Process(fixture)
    try await second.shown("c", "three")

    #expect(second.texts.value == ["a": "eins", "b": "due", "c": "three"])
    #expect(second.writes.waitingCount == 3)
    await second.close()
  }

  @Test func `loads go on while a write waits, and their values are shown below it`() async throws {
    var fixture = try SyncFixture()
    let server = TextServer()
    server.stub(fixture)
    fixture.settings.maximumConcurrency = 0
    let process = try await Process(fixture)
    try await process.shown("a", "one")
    try await process.save("a", "uno")

    server.texts.withLock { $0 = ["a": "changed", "b": "changed"] }
    await process.texts.reload()

    #expect(process.texts.value == ["a": "uno", "b": "changed"])
    await process.close()
  }

  @Test func `a write that is refused is taken away, and its resource shows the error`()
    async throws
  {
    let (fixture, server) = (try SyncFixture(), TextServer())
    server.stub(fixture)
    fixture.transport.stub("PUT /texts/a", .status(422))
    let process = try await Process(fixture)
    try await process.shown("a", "one")

    try await process.save("a", "uno")
    try await until { !process.writes.failures.isEmpty }
    await process.texts.reload()

    #expect(process.texts.value?["a"] == "one")
    #expect((process.texts.error as? LoadError)?.response?.status == 422)
    let failure = try #require(process.writes.failures.first)
    #expect((failure.change as? SaveText)?.text == "uno")
    #expect(failure.error.response?.status == 422)
    #expect(process.writes.waitingCount == 0)

    try await process.writes.drop(failure)
    #expect(process.writes.failures.isEmpty)
    #expect(process.texts.error == nil)
    #expect(process.texts.value?["a"] == "one")
    await process.close()
  }

  @Test func `a write that is too old is in the failures, and can be retried`() async throws {
    var fixture = try SyncFixture()
    let server = TextServer()
    server.stub(fixture)
    fixture.settings.maximumAge = .seconds(3600)
    fixture.settings.checkInterval = .seconds(600)
    let process = try await Process(fixture)
    try await process.shown("a", "one")
    try await process.outbox.pause()
    try await process.save("a", "uno")

    try await fixture.clock.waitForSleepers(count: 1, within: .seconds(600))
    fixture.clock.advance(by: .seconds(7200))
    try await until { !process.writes.failures.isEmpty }
    let failure = try #require(process.writes.failures.first)
    #expect(failure.error.reason.contains("older than maximumAge"))
    #expect(process.texts.value?["a"] == "one")

    try await process.outbox.resume()
    try await process.writes.retry(failure)
    try await until { process.writes.waitingCount == 0 && process.writes.failures.isEmpty }
    try await process.shown("a", "uno")
    #expect(server.texts.withLock { $0["a"] } == "uno")
    await process.close()
  }

  @Test func `a refused write that is retried is shown below later ones`() async throws {
    let (fixture, server, gate) = (try SyncFixture(), TextServer(), Gate())
    server.stub(fixture)
    fixture.transport.stub("PUT /texts/a", .status(403), .status(200).waiting(for: gate))
    let process = try await Process(fixture)
    try await process.shown("a", "one")
    try await process.save("a", "uno")
    try await until { !process.writes.failures.isEmpty }
    try await process.save("a", "eins")

    let failure = try #require(process.writes.failures.first)
    try await process.writes.retry(failure)

    #expect(process.writes.waitingCount == 2)
    #expect(process.texts.value?["a"] == "eins")
    #expect(process.texts.error == nil)
    server.texts.withLock { $0["a"] = "eins" }
    gate.open()
    try await until { process.writes.waitingCount == 0 }
    #expect(process.texts.value?["a"] == "eins")
    await process.close()
  }

  @Test func `a refused write can be corrected`() async throws {
    let (fixture, server) = (try SyncFixture(), TextServer())
    server.stub(fixture)
    fixture.transport.stub("PUT /texts/long", .status(422))
    let process = try await Process(fixture)
    try await process.shown("a", "one")
    try await process.writes.send(
      .put("/texts/long").body(.text("uno")), as: "text a", SaveText(name: "a", text: "uno"))
    try await until { !process.writes.failures.isEmpty }

    try await process.writes.correct(
      process.writes.failures[0], with: .put("/texts/a").body(.text("eins")),
      SaveText(name: "a", text: "eins"))
    #expect(process.texts.value?["a"] == "eins")
    try await until { process.writes.waitingCount == 0 && process.writes.failures.isEmpty }

    try await process.shown("a", "eins")
    #expect(server.texts.withLock { $0["a"] } == "eins")
    await process.close()
  }

  @Test func `a load that began before a write was answered doesn't undo it`() async throws {
    let (fixture, server, load) = (try SyncFixture(), TextServer(), Gate())
    server.stub(fixture)
    let process = try await Process(fixture)
    try await process.shown("a", "one")
    fixture.transport.stub(
      "GET /texts", .json(#"{"a": "one"}"#).waiting(for: load), .json(#"{"a": "uno", "b": "x"}"#))

    // Nothing follows from this answer, so only the end of the write begins the load anew.
    fixture.transport.stub("PUT /texts/a", .status(204))

    let reload = Task { await process.texts.reload() }
    _ = try await fixture.transport.waitForRequests(count: 2)
    try await process.save("a", "uno")
    try await until { process.writes.waitingCount == 0 }
    #expect(process.texts.value?["a"] == "uno")
    load.open()
    await reload.value

    #expect(process.texts.value == ["a": "uno", "b": "x"])
    await process.close()
  }

  @Test func `what another process writes is shown, and what it answers is kept`() async throws {
    var fixture = try SyncFixture()
    let (server, gate) = (TextServer(), Gate())
    server.stub(fixture)
    fixture.transport.stub("PUT /texts/a") { _ in
      server.texts.withLock { $0["a"] = "uno" }
      return .json(#"{"saved": "uno"}"#).waiting(for: gate)
    }
    let app = try await Process(fixture)
    fixture.settings.checkInterval = nil
    let share = try await Process(fixture)
    try await app.shown("a", "one")

    try await share.save("a", "uno")
    try await app.store.checkForOtherProcesses()
    try await app.shown("a", "uno")
    gate.open()
    try await until {
      try await app.store.checkForOtherProcesses()
      return app.writes.waitingCount == 0
    }

    try await app.shown("a", "uno")
    await share.close()
    await app.close()
  }

  @Test func `no secret of an answer's location is stored`() async throws {
    let (fixture, server) = (try SyncFixture(), TextServer())
    server.stub(fixture)
    fixture.transport.stub(
      "PUT /texts/a", .json(#"{"saved": "uno"}"#, headers: [.location: "/new?token=SWORDFISH"]))
    let process = try await Process(fixture)

    try await process.save("a", "uno")
    try await until { process.writes.waitingCount == 0 }

    let kept = try await process.store.write {
      try $0.rows(#"SELECT answer FROM "Outbox outcomes 1""#) {
        String(decoding: $0.blob(at: 0), as: UTF8.self)
      }
    }
    #expect(kept.count == 1 && kept.allSatisfy { $0.contains("new") })
    #expect(kept.allSatisfy { !$0.contains("SWORDFISH") })
    await process.close()
  }

  @Test func `a stored response from before a write was answered doesn't undo it in the next run`()
    async throws
  {
    let (fixture, server) = (try SyncFixture(), TextServer())
    server.stub(fixture, headers: [.cacheControl: "max-age=600"])
    let cache = HTTPCache(.memory(maximumSize: 1 << 20))
    let first = try await Process(fixture, cache: cache)
    try await first.shown("a", "one")
    await first.close()
    let second = try await Process(fixture, cache: cache)
    second.live.removeAll()
    fixture.transport.stub("GET /texts", .status(503))
    try await second.save("a", "uno")
    try await until { second.writes.waitingCount == 0 }
    await second.close()

    let third = try await Process(fixture, cache: cache)
    try await until { third.texts.value != nil }

    #expect(fixture.sent == ["GET /texts", "PUT /texts/a"])
    #expect(third.texts.value == ["a": "uno", "b": "two"])
    await third.close()
  }

  @Test func `signing out removes the writes, and ignores answers that arrive later`() async throws
  {
    let (fixture, server, gate) = (try SyncFixture(), TextServer(), Gate())
    server.stub(fixture)
    fixture.transport.stub("PUT /texts/a", .status(200).waiting(for: gate))
    let process = try await Process(fixture)
    try await process.shown("a", "one")
    try await process.save("a", "uno")
    _ = try await fixture.transport.waitForRequests(count: 2)

    try await process.writes.removeAll()
    #expect(process.texts.value == nil)
    #expect(process.writes.waitingCount == 0)
    gate.open()
    await process.outbox.close()

    #expect(try await process.outbox.count() == 0)
    let texts = process.live.resource(.texts)
    _ = texts.value
    try await until { texts.value != nil }
    #expect(texts.value?["a"] == "one")
    await process.close()
  }
}
