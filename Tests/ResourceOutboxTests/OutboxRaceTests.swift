import Foundation
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import ResourceOutbox

/// Simultaneous events.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct OutboxRaceTests {
  @Test func `nothing is added to an outbox that was closed`() async throws {
    let fixture = try OutboxFixture()
    let (store, outbox) = try await fixture.open()
    await outbox.close()

    let error = await #expect(throws: LoadError.self) { try await outbox.add(.put("/a"), as: "a") }
    await #expect(throws: LoadError.self) {
      try await store.transaction { try outbox.add(.put("/a"), as: "a", in: $0) }
    }

    #expect(error?.kind == .closed)
    #expect(try await outbox.count() == 0)
  }

  @Test func `an outbox that is closed in the middle of adding keeps the file of the body`()
    async throws
  {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .status(200))
    let (store, outbox) = try await fixture.open()
    let (others, client) = (try await fixture.database.open(), fixture.client)
    let body = Request.Body.data(Data(count: 100_000))

    let opened = Mutex<Task<Outbox, any Error>?>(nil)
    try await store.transaction { transaction in
      try outbox.add(.put("/a").body(body), as: "a", in: transaction)
      outbox.sender.stop()
      // Another process begins, and looks for files of sessions that have ended.
      #expect(outbox.storage.folder.files.sessions.count == 1)
      opened.withLock { opened in
        opened = Task {
          try await Outbox(store: others, client: client, settings: fixture.settings)
        }
      }
    }
    let opening = opened.withLock(\.self)
    let next = try await #require(opening).value
    try await next.wait(until: \.isEmpty)

    #expect(fixture.sent == ["PUT /v1/a"])
    #expect(fixture.bodies == [])
    await next.close()
    await outbox.close()
  }

  @Test func `a cancelled addition leaves no entry and no file`() async throws {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    let (_, outbox) = try await fixture.open()
    var added = 0
    for _ in 0..<40 {
      let task = Task {
        try await outbox.add(.put("/a").body(.data(Data(count: 100_000))), as: "a")
      }
      await Task.yield()
      task.cancel()
      if (try? await task.value) != nil { added += 1 }
    }

    #expect(try await outbox.count() == added)
    #expect(fixture.bodies.count == added)
    await outbox.close()
  }

  @Test func `a result after the user's decision changes nothing`() async throws {
    var fixture = try OutboxFixture()
    let (isAsked, isTold, isAnswered) = (Gate(), Gate(), Gate())
    fixture.settings.checkDelivery = { _ in
      isAsked.open()
      try? await isTold.opened()
      return .notReceived
    }
    fixture.transport.stub(
      "*", .status(500), .status(200).waiting(for: isAnswered), .status(200))
    let (_, outbox) = try await fixture.open()
    let receipt = try await outbox.add(.post("/a"), as: "a")
    try await isAsked.opened()

    try await outbox.retry(#require(receipt.id))
    try await fixture.transport.waitForRequests(count: 2)
    isTold.open()
    for _ in 0..<20 { try await outbox.retryParked() }
    isAnswered.open()
    try await outbox.wait(until: \.isEmpty)

    #expect(fixture.sent.count == 2)
    await outbox.close()
  }

  @Test func `entries that a removal hook added are undone with it`() async throws {
    struct Refusal: Error {}
    var fixture = try OutboxFixture()
    let outbox = Mutex<Outbox?>(nil)
    let added = Mutex<OutboxReceipt?>(nil)
    fixture.settings.onRemoval = { _, _, transaction in
      let receipt = try outbox.withLock(\.self)?.add(.put("/b"), as: "b", in: transaction)
      added.withLock { $0 = receipt }
      throw Refusal()
    }
    fixture.transport.stub("*", .status(200))
    let (_, opened) = try await fixture.open()
    outbox.withLock { $0 = opened }

    let receipt = try await opened.add(.put("/a"), as: "a")
    await #expect(throws: LoadError.self) { try await receipt.answer() }

    let lost = added.withLock(\.self)
    let undone = try #require(lost)
    let error = await #expect(throws: LoadError.self) { try await undone.answer() }
    #expect(error?.reason.contains("undone") == true)
    #expect(try await opened.currentEntries().map(\.state) == [.parked])
    outbox.withLock { $0 = nil }
    await opened.close()
  }

  @Test func `a receipt reports that the process that was sending its entry has ended`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    fixture.settings.checkInterval = .seconds(1)
    let (store, outbox) = try await fixture.open()
    let receipt = try await outbox.add(.post("/a"), as: "a")
    try await store.write { connection in
      _ = try connection.execute(
        #"UPDATE "Outbox entries 1" SET state = 1, hasBegun = 1, session = ?1"#,
        [.text(UUID().uuidString)])
    }

    for _ in 0..<2 {
      try await fixture.clock.waitForSleepers(count: 1, within: .seconds(1))
      fixture.clock.advance(by: .seconds(1))
    }
    try await fixture.clock.waitForSleepers(count: 1, within: .seconds(1))

    #expect(try await outbox.currentEntries().map(\.state) == [.uncertain])
    await outbox.close()
    let error = await #expect(throws: LoadError.self) { try await receipt.answer() }
    #expect(error?.reason.contains("the process ended") == true)
  }

  @Test func `receipts of one entry are released at the same time`() async throws {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    let (_, outbox) = try await fixture.open()
    let id = UUID()

    for _ in 0..<200 {
      var answers = (0..<8).map { _ in outbox.storage.answers[id] }
      await withTaskGroup(of: Void.self) { group in
        while let answer = answers.popLast() {
          group.addTask { withExtendedLifetime(answer) {} }
        }
      }
    }

    await outbox.close()
  }
}
