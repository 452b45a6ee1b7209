import Foundation
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Testing

@testable import ResourceOutbox

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Entries that replace or cancel earlier ones of their key.
@Suite(.timeLimit(.minutes(15)))
struct OutboxCompactionTests {
  @Test func `edits and a deletion of an unsent note send nothing`() async throws {
    let fixture = try OutboxFixture()
    let (_, outbox) = try await fixture.open()
    try await outbox.pause()
    try await outbox.add(.post("/notes").body(.data(Data(count: 100_000))), as: "1") {
      $0.isCreation = true
    }
    #expect(fixture.bodies.count == 1)
    try await outbox.add(.put("/notes/1").json(["text": "a"]), as: "1") {
      $0.compaction = .replacing
    }
    let edit = try await outbox.add(.put("/notes/1").json(["text": "b"]), as: "1") {
      $0.compaction = .replacing
    }
    #expect(try await outbox.count() == 2)

    let deletion = try await outbox.add(.delete("/notes/1"), as: "1") {
      $0.compaction = .cancelling
    }

    #expect(deletion.id == nil)
    await #expect(throws: CancellationError.self) { try await edit.answer() }
    await #expect(throws: CancellationError.self) { try await deletion.answer() }
    #expect(try await outbox.count() == 0)
    #expect(fixture.bodies == [])
  }

  @Test func `edits of a note on the server become one, and a deletion replaces them`()
    async throws
  {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .status(200))
    let (_, outbox) = try await fixture.open()
    try await outbox.pause()
    for text in ["a", "b", "c"] {
      try await outbox.add(.put("/notes/1").json(["text": text]), as: "1") {
        $0.compaction = .replacing
      }
      try await outbox.add(.put("/notes/2"), as: "2") { $0.compaction = .replacing }
    }
    try await outbox.add(.delete("/notes/2"), as: "2") { $0.compaction = .cancelling }
    try await outbox.resume()

    try await outbox.wait(until: \.isEmpty)

    #expect(Set(fixture.sent) == ["PUT /v1/notes/1", "DELETE /v1/notes/2"])
    #expect(fixture.sent.count == 2)
    let put = fixture.transport.requests.first { $0.method == .put }
    #expect(try put?.body?.data() == Data(#"{"text":"c"}"#.utf8))
  }

  @Test func `an entry that is being sent is neither replaced nor cancelled`() async throws {
    let fixture = try OutboxFixture()
    let gate = Gate()
    fixture.transport.stub("*", .status(200).waiting(for: gate))
    let (_, outbox) = try await fixture.open()
    try await outbox.add(.post("/notes"), as: "1") { $0.isCreation = true }
    try await fixture.transport.waitForRequests(count: 1)
    try await outbox.add(.post("/notes"), as: "1") { $0.compaction = .replacing }

    let deletion = try await outbox.add(.delete("/notes/1"), as: "1") {
      $0.compaction = .cancelling
    }
    gate.open()
    _ = try await deletion.answer()

    #expect(fixture.sent == ["POST /v1/notes", "DELETE /v1/notes/1"])
  }

  @Test(arguments: [(URLError.Code.cannotConnectToHost, 1), (.networkConnectionLost, 2)])
  func `an entry that failed is replaced only if nothing was sent`(
    _ code: URLError.Code, _ count: Int
  ) async throws {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .error(URLError(code)))
    let (_, outbox) = try await fixture.open()
    try await outbox.add(.put("/notes/1"), as: "1")
    try await outbox.wait { $0.first?.error != nil }

    try await outbox.add(.put("/notes/1"), as: "1") { $0.compaction = .replacing }

    #expect(try await outbox.count() == count)
    await outbox.close()
  }

  @Test(arguments: ["POST /notes/1/publish", "POST /notes/1", "PUT /notes/1", "PATCH /notes/1"])
  func `a note on the server is deleted there, whichever of its changes was cancelled`(
    change: String
  ) async throws {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .status(200))
    let (_, outbox) = try await fixture.open()
    _ = try await outbox.add(.put("/notes/1"), as: "1") { $0.isCreation = true }.answer()
    try await outbox.pause()
    let words = change.split(separator: " ").map(String.init)
    let request = Request(
      Request.Method(rawValue: words[0]), RequestPath(encoded: words[1]))
    let cancelled = try await outbox.add(request, as: "1")

    let deletion = try await outbox.add(.delete("/notes/1"), as: "1") {
      $0.compaction = .cancelling
    }
    try await outbox.resume()

    #expect(try await deletion.answer().status == 200)
    await #expect(throws: CancellationError.self) { try await cancelled.answer() }
    #expect(fixture.sent == ["PUT /v1/notes/1", "DELETE /v1/notes/1"])
  }

  @Test(arguments: [false, true])
  func `a creation that was replaced by an edit or corrected is still a creation`(
    isCorrected: Bool
  ) async throws {
    let fixture = try OutboxFixture()
    let (_, outbox) = try await fixture.open()
    try await outbox.pause()
    let first = try await outbox.add(.put("/notes/1"), as: "1") { $0.isCreation = true }
    if isCorrected {
      _ = try await outbox.correct(#require(first.id), with: .put("/notes/1"))
    } else {
      try await outbox.add(.put("/notes/1"), as: "1") { $0.compaction = .replacing }
    }

    let deletion = try await outbox.add(.delete("/notes/1"), as: "1") {
      $0.compaction = .cancelling
    }

    #expect(deletion.id == nil)
    #expect(try await outbox.count() == 0)
  }

  @Test func `a deletion isn't sent if only a cancelled entry would have given its id`()
    async throws
  {
    let fixture = try OutboxFixture()
    let (_, outbox) = try await fixture.open()
    try await outbox.pause()
    let issue = OutboxPlaceholder()
    try await outbox.add(.post("/issues"), as: "1") { $0.placeholders[issue] = .json("/number") }
    try await outbox.add(.put("/issues/\(issue)"), as: "1")

    let deletion = try await outbox.add(.delete("/issues/\(issue)"), as: "1") {
      $0.compaction = .cancelling
    }

    #expect(deletion.id == nil)
    #expect(try await outbox.count() == 0)
  }

  @Test func `an outbox of an earlier version is opened and upgraded`() async throws {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .status(200))
    let (store, outbox) = try await fixture.open()
    try await outbox.pause()
    try await outbox.add(.put("/notes/1"), as: "1")
    await outbox.close()
    try await store.write { connection in
      _ = try connection.execute(#"ALTER TABLE "Outbox entries 1" DROP COLUMN isCreation"#)
    }
    await store.close()

    let (_, next) = try await fixture.open()
    try await next.add(.put("/notes/2"), as: "2") { $0.isCreation = true }
    try await next.resume()
    try await next.wait(until: \.isEmpty)

    #expect(Set(fixture.sent) == ["PUT /v1/notes/1", "PUT /v1/notes/2"])
  }
}
