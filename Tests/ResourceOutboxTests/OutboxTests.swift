import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(15)))
struct OutboxTests {
  @Test func `a write is sent with its body and an idempotency key, and then removed`()
    async throws
  {
    let fixture = try OutboxFixture()
    fixture.transport.stub("POST /v1/notes", .json(#"{"id": 7}"#))
    let (_, outbox) = try await fixture.open()

    let receipt = try await outbox.add(.post("/notes").json(["text": "a"]), as: "note 1")
    let answer = try await receipt.answer()

    let request = try #require(fixture.transport.requests.first)
    #expect(String(decoding: answer.body, as: UTF8.self) == #"{"id": 7}"#)
    #expect(try request.body?.data() == Data(#"{"text":"a"}"#.utf8))
    #expect(request.headers[.contentType] == "application/json")
    let id = try #require(receipt.id).uuidString.lowercased()
    #expect(request.headers[.idempotencyKey] == "\"\(id)\"")
    #expect(try await outbox.count() == 0)
    await outbox.close()
  }

  @Test func `the next run sends unsent entries with the same idempotency key`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    let (store, outbox) = try await fixture.open()
    let receipt = try await outbox.add(
      Request.put("/notes/1").query(["draft": true]).header("X-Kind", "b").json(["text": "a"])
        .acceptedStatuses([409]).timeout(.seconds(9)), as: "note 1")
    await outbox.close()
    await store.close()
    await #expect(throws: LoadError.self) { try await receipt.answer() }

    fixture.settings.maximumConcurrency = 4
    fixture.transport.stub("PUT /v1/notes/1", .status(409))
    let (_, next) = try await fixture.open()
    try await next.wait(until: \.isEmpty)

    let request = try #require(fixture.transport.requests.first)
    let id = try #require(receipt.id).uuidString.lowercased()
    #expect(request.headers[.idempotencyKey] == "\"\(id)\"")
    #expect(request.headers["X-Kind"] == "b")
    #expect(request.url.query() == "draft=true")
    #expect(try request.body?.data() == Data(#"{"text":"a"}"#.utf8))
    #expect(fixture.sent.count == 1)
  }

  @Test(arguments: [[:], ["y": 2]] as [QueryItems])
  func `a query that belongs to the path is stored with it`(_ query: QueryItems) async throws {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .status(204))
    let (_, outbox) = try await fixture.open()
    var request = Request(.put, "/a", query: query)
    request.address = .path("/b?x=1")

    _ = try await outbox.add(request, as: "b").answer()

    let expected = query.items.isEmpty ? "/v1/b?x=1" : "/v1/b?x=1&y=2"
    let sent = try #require(fixture.transport.requests.first)
    #expect(sent.url.absoluteString == "https://api.example.org\(expected)")
    await outbox.close()
  }

  @Test func `secrets aren't stored but added before sending`() async throws {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    let (_, outbox) = try await fixture.open()
    let request = Request.put("/a").header(.authorization, "Bearer hunter22")
      .header(.cookie, "s=hunter22").header("X-Api-Key", "hunter22")

    try await outbox.add(request, as: "a")
    await #expect(throws: LoadError.self) {
      try await outbox.add(.put("/a").query(["api_key": "hunter22"]), as: "a")
    }
    await #expect(throws: LoadError.self) {
      try await outbox.add(.put(URL(string: "https://me:hunter22@example.org/")!), as: "a")
    }
    try await outbox.add(.put("/a").query(["token": "x"]), as: "a") { $0.publicNames = ["token"] }
    // A guessed name affects only printing.
    try await outbox.add(.put("/a").query(["promo_code": "x"]), as: "a")

    let path = fixture.database.file.path(percentEncoded: false)
    for suffix in ["", "-wal"] {
      let bytes = try Data(contentsOf: URL(filePath: path + suffix))
      #expect(bytes.firstRange(of: Data("hunter22".utf8)) == nil)
    }
    #expect(try await outbox.count() == 3)
  }

  @Test func `a write is stored with the models of its transaction, or not at all`() async throws {
    let fixture = try OutboxFixture()
    fixture.transport.stub("PUT /v1/items/1", .status(204))
    let (store, outbox) = try await fixture.open()
    struct Undone: Error {}

    let receipt = try await store.transaction { transaction in
      try transaction.upsert(Item.numbered(1))
      return try outbox.add(.put("/items/1"), as: "item 1", in: transaction)
    }
    let escaped = Mutex<OutboxReceipt?>(nil)
    await #expect(throws: Undone.self) {
      try await store.transaction { transaction in
        try transaction.upsert(Item.numbered(2))
        let body = Request.Body.data(Data(count: 100_000))
        let receipt = try outbox.add(.put("/items/2").body(body), as: "item 2", in: transaction)
        escaped.withLock { $0 = receipt }
        throw Undone()
      }
    }

    #expect(try await receipt.answer().status == 204)
    let lost = escaped.withLock(\.self)
    let undone = try #require(lost)
    let error = await #expect(throws: LoadError.self) { try await undone.answer() }
    #expect(error?.kind == .outbox)
    #expect(try await store.count(Item.self) == 1)
    #expect(try await outbox.count() == 0)
    #expect(fixture.bodies == [])
    #expect(fixture.sent == ["PUT /v1/items/1"])
  }

  @Test func `the models change in the transaction that removes an entry with its response`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.onRemoval = { entry, outcome, transaction in
      guard case .answered(let response) = outcome else { return }
      let title = String(decoding: response.body, as: UTF8.self)
      try transaction.upsert(Item(id: entry.key.rawValue, title: title))
    }
    fixture.transport.stub("PUT /v1/items/1", .response(body: Data("from the server".utf8)))
    let (store, outbox) = try await fixture.open()

    let receipt = try await outbox.add(.put("/items/1"), as: "1") { try $0.attach("draft") }
    _ = try await receipt.answer()

    #expect(try await store.select(Item.self).map(\.title) == ["from the server"])
  }

  @Test func `an optimistic change is visible until its write has a response, across runs`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    let (store, outbox) = try await fixture.open()
    try await outbox.add(.put("/items/1"), as: "1") { try $0.attach(Item.numbered(1)[0]) }
    await outbox.close()
    await store.close()

    fixture.settings.maximumConcurrency = 1
    let gate = Gate()
    fixture.transport.stub("PUT /v1/items/1", .status(200).waiting(for: gate))
    let (_, next) = try await fixture.open()
    var lists = next.entries(of: "1").makeAsyncIterator()
    let pending = try await lists.next()?.first?.payload(as: Item.self)
    gate.open()
    while let list = try await lists.next(), !list.isEmpty {}

    #expect(pending == Item.numbered(1)[0])
    #expect(try await next.currentEntries(of: "1").isEmpty)
  }

  @Test func `nothing is sent while the outbox or a key is paused, also by the next run`()
    async throws
  {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .status(200))
    let (store, outbox) = try await fixture.open()
    try await outbox.pause()
    try await outbox.pause("a")
    try await outbox.add(.put("/a"), as: "a")
    try await outbox.add(.put("/b"), as: "b")
    await outbox.close()
    await store.close()

    let (_, next) = try await fixture.open()
    #expect(try await next.count() == 2)
    try await next.resume()
    try await next.wait { $0.map(\.key) == ["a"] }
    #expect(fixture.sent == ["PUT /v1/b"])
    try await next.resume("a")
    try await next.wait(until: \.isEmpty)
    #expect(fixture.sent == ["PUT /v1/b", "PUT /v1/a"])
  }

  @Test func `a dropped entry isn't sent, and one that is being sent can't be dropped`()
    async throws
  {
    let fixture = try OutboxFixture()
    let gate = Gate()
    fixture.transport.stub("*", .status(200).waiting(for: gate))
    let (_, outbox) = try await fixture.open()
    let first = try await outbox.add(.put("/a"), as: "a")
    let second = try await outbox.add(.put("/a"), as: "a")
    try await fixture.transport.waitForRequests(count: 1)

    let (begun, waiting) = (try #require(first.id), try #require(second.id))
    #expect(try await outbox.drop(begun) == false)
    #expect(try await outbox.drop(waiting))
    #expect(try await outbox.drop(waiting) == false)
    await #expect(throws: CancellationError.self) { try await second.answer() }
    gate.open()
    #expect(try await first.answer().status == 200)

    #expect(fixture.sent.count == 1)
    await outbox.close()
  }
}
