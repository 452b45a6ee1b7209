import Foundation
import PromiseModule
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceInspector

@Suite(.inTurn, .timeLimit(.minutes(15))) struct OutboxTableTests {
  private let network = StubTransport()
  private let clock = ManualClock()

  private func outbox(in store: SQLiteStore? = nil) async throws -> Outbox {
    var settings = OutboxSettings()
    settings.retry.backoff = Backoff(base: .seconds(60), maximum: .seconds(60), jitter: .none)
    settings.checkInterval = nil
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = network
      $0.clock = clock
      // The outbox stores no credentials.
      $0.headers[.authorization] = "Bearer hidden-in-header"
    }
    let store = if let store { store } else { try await SQLiteStore.inMemory() }
    return try await Outbox(store: store, client: client, settings: settings)
  }

  private func wait(
    _ outbox: Outbox, until condition: ([OutboxEntry]) -> Bool
  ) async throws -> [OutboxEntry] {
    for try await entries in outbox.entries() where condition(entries) { return entries }
    return []
  }

  @Test func `entries are shown with their states and next attempts`() async throws {
    network.stub("PUT /parked", .json(#"{"message": "no such note"}"#, status: 422))
    network.stub("PUT /waiting", .status(503))
    let gate = Gate()
    network.stub("PUT /sending", .json("1").waiting(for: gate))
    let outbox = try await outbox()
    try await outbox.pause("paused")
    try await outbox.add(.put("/parked"), as: "parked")
    let parked = try await wait(outbox) { $0.first?.state == .parked }
    try await outbox.add(.put("/sending"), as: "sending")
    try await outbox.add(.put("/blocked"), as: "sending")
    try await outbox.add(.put("/paused"), as: "paused")
    _ = try await wait(outbox) { $0.contains { $0.state == .sending } }
    try await outbox.add(.put("/waiting"), as: "waiting")
    let entries = try await wait(outbox) {
      $0.contains { $0.attempts == 1 && $0.error != nil && $0.state == .waiting }
    }

    let content = try await outbox.inspect(.at(Date()))

    #expect(parked.count == 1)
    #expect(
      content.column("Request") == [
        "PUT /parked", "PUT /sending", "PUT /blocked", "PUT /paused", "PUT /waiting",
      ])
    #expect(content.column("Key") == ["parked", "sending", "sending", "paused", "waiting"])
    #expect(content.column("State") == ["parked", "sending", "waiting", "waiting", "waiting"])
    let due = try #require(entries.last?.due).timeIntervalSince1970.rounded()
    #expect(
      content.column("Next attempt") == [
        "when it is retried", "now", "after other entries", "when it is resumed", "@\(Int(due))",
      ])
    #expect(content.column("Attempts") == ["1", "1", "0", "0", "1"])
    #expect(content.column("Last failure")[0].contains("no such note"))
    #expect(content.column("Last failure")[4].contains("503"))
    #expect(content.note == "5 entries")
    gate.open()
    await outbox.close()
  }

  @Test func `neither secrets nor payloads are shown`() async throws {
    let answer = #"{"message": "refused hidden-in-header hidden-in-body hidden-in-query"}"#
    network.stub("*", .json(answer, status: 400))
    let outbox = try await outbox()
    let request = Request.post("/a").query(["voucher": "hidden-in-query", "page": "2"])
      .json(["password": "hidden-in-body"])
    try await outbox.add(request, as: "note") { try $0.attach("hidden-in-payload") }
    _ = try await wait(outbox) { $0.first?.state == .parked }

    let content = try await outbox.inspect(.at(Date(), secretNames: ["voucher"]))

    #expect(content.column("Request") == ["POST /a?voucher=<redacted>&page=2"])
    #expect(content.column("Last failure")[0].contains("refused <redacted> <redacted> <redacted>"))
    #expect(!"\(content)".contains("hidden"))
    await outbox.close()
  }

  @Test func `an outbox whose store is closed says so`() async throws {
    let store = try await SQLiteStore.inMemory()
    let outbox = try await outbox(in: store)
    await outbox.close()
    await store.close()
    let tables = TableSources(LoadLog(limit: 1), patience: .seconds(600))
    tables.add(outbox, "notes")

    let all = await tables.tables()

    #expect(all.map(\.title) == ["Outbox: notes"])
    #expect(all.first?.note.hasPrefix("It can't be read: ") == true)
  }
}
