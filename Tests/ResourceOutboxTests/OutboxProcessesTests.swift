import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// Outboxes with separate connections to one file, like those of two processes.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct OutboxProcessesTests {
  @Test func `an entry of one process wakes the other, and the first learns which sent it`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    fixture.settings.checkInterval = .seconds(1)
    fixture.transport.stub("*", .status(200))
    let (_, adding) = try await fixture.open()
    fixture.settings.maximumConcurrency = 4
    let (_, sending) = try await fixture.open()
    try await fixture.clock.waitForSleepers(count: 2, within: .seconds(1))
    let receipt = try await adding.add(.put("/a"), as: "a")
    #expect(fixture.sent == [])

    fixture.clock.advance(by: .seconds(1))

    try await sending.wait(until: \.isEmpty)
    #expect(fixture.sent == ["PUT /v1/a"])
    try await fixture.clock.waitForSleepers(count: 2, within: .seconds(1))
    fixture.clock.advance(by: .seconds(1))
    let error = await #expect(throws: LoadError.self) { try await receipt.answer() }
    #expect(error?.kind == .outbox)
    await adding.close()
    await sending.close()
  }

  @Test func `two processes that add to one key simultaneously send one entry at a time, in order`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.checkInterval = .milliseconds(2)
    fixture.transport.stub("*", .status(200))
    let client = Client(baseURL: URL(string: "https://api.example.org/v1")!) {
      $0.transport = fixture.transport
    }
    let (one, other) = (try await fixture.database.open(), try await fixture.database.open())
    let first = try await Outbox(store: one, client: client, settings: fixture.settings)
    let second = try await Outbox(store: other, client: client, settings: fixture.settings)

    async let ofFirst = Self.add(60, to: first, as: "first")
    async let ofSecond = Self.add(60, to: second, as: "second")
    let receipts = try await ofFirst + ofSecond
    try await first.wait(until: \.isEmpty)
    var answered = 0
    for receipt in receipts {
      do { answered += try await receipt.answer().status == 200 ? 1 : 0 } catch let error
        as LoadError
      {
        #expect(error.reason.contains("another process has sent"))
      }
    }

    #expect(answered > 0)
    #expect(fixture.transport.peakInFlight == 1)
    #expect(fixture.sent.count == 120)
    for name in ["first", "second"] {
      #expect(
        fixture.sent.filter { $0.contains(name) } == (0..<60).map { "PUT /v1/\(name)/\($0)" })
    }
    await first.close()
    await second.close()
  }

  @Test func `an entry that is being added doesn't count as sent by another process`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.transport.stub("*", .status(200))
    fixture.settings.checkInterval = .milliseconds(1)
    let client = Client(baseURL: URL(string: "https://api.example.org/v1")!) {
      $0.transport = fixture.transport
    }
    let (one, other) = (try await fixture.database.open(), try await fixture.database.open())
    let sending = try await Outbox(store: one, client: client, settings: fixture.settings)
    // The other one writes, so that there is something to find, and sends nothing.
    let isDone = Mutex(false)
    async let writes: Void = {
      var number = 0
      while !isDone.withLock(\.self) {
        try await other.upsert(Item(id: "\(number % 10)", title: "a"))
        number += 1
      }
    }()

    for number in 0..<60 {
      let receipt = try await one.transaction { transaction in
        let receipt = try sending.add(.put("/\(number)"), as: "a", in: transaction)
        usleep(3000)
        return receipt
      }
      #expect(try await receipt.answer().status == 200)
    }

    isDone.withLock { $0 = true }
    try await writes
    await sending.close()
  }

  private static func add(
    _ count: Int, to outbox: Outbox, as name: String
  ) async throws -> [OutboxReceipt] {
    var receipts: [OutboxReceipt] = []
    for number in 0..<count {
      receipts.append(try await outbox.add(.put("/\(name)/\(number)"), as: "the same"))
    }
    return receipts
  }
}
