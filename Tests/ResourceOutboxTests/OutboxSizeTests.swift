import Foundation
import ResourceLoading
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

@testable import ResourceOutbox
@testable import ResourceStore

#if canImport(SQLite3)
  import SQLite3
#else
  import CResourceSQLite
#endif

/// Many entries.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct OutboxSizeTests {
  @Test func `no statement for an entry scans a table`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumAge = .seconds(86_400)
    fixture.settings.checkDelivery = { _ in .notReceived }
    fixture.transport.stub("*", .json(#"{"id": 1}"#))
    let (store, outbox) = try await fixture.open()
    try await outbox.pause()
    for number in 0..<400 {
      let placeholder = OutboxPlaceholder()
      try await outbox.add(.put("/\(number)").json(["a": number]), as: "\(number % 40)") {
        $0.after = ["\(number % 7)"]
        $0.placeholders = [placeholder: .json("/id")]
        $0.compaction = number.isMultiple(of: 2) ? .replacing : .none
      }
      try await outbox.add(.put("/of/\(placeholder)"), as: "of \(number)")
    }
    try await outbox.pause("1")
    try await outbox.resume("1")
    try await outbox.retryParked()
    try await outbox.storage.write { try $0.endSession("of a process that has ended") }
    try await outbox.resume()
    try await outbox.wait(until: \.isEmpty)
    await outbox.close()

    let steps = try await store.writer.run { $0.fullScanSteps(of: "Outbox") }
    #expect(fixture.sent.count == 800)
    #expect(steps.filter { !$0.key.contains("pauses") } == [:])
  }

  @Test func `the cost of replacing doesn't grow with the number of the key's entries`()
    async throws
  {
    let fixture = try OutboxFixture()
    let (store, outbox) = try await fixture.open()
    try await outbox.pause()
    for number in 0..<300 {
      try await outbox.add(.put("/\(number)"), as: "all") { $0.compaction = .replacing }
    }
    await outbox.close()

    let rows = try await store.writer.run { $0.steps(of: "Outbox").values.max() ?? 0 }
    #expect(rows < 300 * 300)
  }

  /// `OUTBOX_ENTRIES=100000` prints the cost of the last additions, and of opening. Not a test,
  /// because times depend on the machine.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["OUTBOX_ENTRIES"] != nil))
  func `figures of many entries`() async throws {
    let count = Int(ProcessInfo.processInfo.environment["OUTBOX_ENTRIES"] ?? "") ?? 0
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .status(200))
    let (store, outbox) = try await fixture.open()
    try await outbox.pause()
    let clock = ContinuousClock()
    for start in stride(from: 0, to: count, by: 10_000) {
      let time = try await clock.measure {
        for number in start..<min(count, start + 10_000) {
          try await outbox.add(
            .put("/\(number)").json(["text": "a note"]), as: "\(number % 20_000)")
        }
      }
      print("adding from \(start):", time / 10_000)
    }
    await outbox.close()
    await store.close()
    let again = try await fixture.database.open()
    var next: Outbox?
    let time = try await clock.measure {
      next = try await Outbox(store: again, client: fixture.client, settings: fixture.settings)
    }
    print("opening with \(count):", time)
    let sending = try await clock.measure {
      try await next?.resume()
      try await fixture.transport.waitForRequests(count: 1000)
    }
    print("sending 1000:", sending)
    await next?.close()
  }
}

extension Connection {
  /// The statements whose text contains a word and that have walked through a table without an
  /// index, with the number of steps (<https://sqlite.org/c3ref/c_stmtstatus_counter.html>).
  fileprivate func fullScanSteps(of word: String) -> [String: Int32] {
    counts(SQLITE_STMTSTATUS_FULLSCAN_STEP, of: word)
  }

  /// The steps of SQLite's machine that the statements took whose text contains a word.
  fileprivate func steps(of word: String) -> [String: Int32] {
    counts(SQLITE_STMTSTATUS_VM_STEP, of: word)
  }

  private func counts(_ counter: Int32, of word: String) -> [String: Int32] {
    var counts: [String: Int32] = [:]
    var statement = sqlite3_next_stmt(handle, nil)
    while let found = statement {
      let text = sqlite3_sql(found).map { String(cString: $0) } ?? ""
      let count = sqlite3_stmt_status(found, counter, 0)
      if text.contains(word), count > 0 { counts[text] = count }
      statement = sqlite3_next_stmt(handle, found)
    }
    return counts
  }
}
