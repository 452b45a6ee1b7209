import Foundation
import PromiseModule
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(15)))
struct OutboxFailureTests {
  private static let lost = StubAnswer.error(LoadError(.connection, "the connection was lost"))

  @Test
  func `after a temporary failure an entry is sent again with growing waits, also across runs`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.serverHonoursIdempotencyKeys = true
    fixture.transport.stub("POST /v1/a", Self.lost, .status(500), .status(200))
    let (store, outbox) = try await fixture.open()
    var events = outbox.events.makeAsyncIterator()
    let receipt = try await outbox.add(.post("/a"), as: "a")

    while case .sending? = await events.next() {}
    try await fixture.clock.waitForSleepers(count: 1, within: .seconds(2))
    fixture.clock.advance(by: .seconds(2))
    try await fixture.transport.waitForRequests(count: 2)
    try await outbox.wait { $0.first?.attempts == 2 && $0.first?.state == .waiting }
    let waiting = try #require(try await outbox.currentEntries().first)
    #expect(waiting.error?.response?.status == 500)
    await outbox.close()
    await store.close()
    await #expect(throws: LoadError.self) { try await receipt.answer() }

    fixture.settings.networkAvailability = AsyncStream<Bool> { continuation in
      continuation.yield(false)
      continuation.yield(true)
    }
    let (_, next) = try await fixture.open()
    try await next.wait(until: \.isEmpty)

    let keys = Set(fixture.transport.requests.map { $0.headers[.idempotencyKey] })
    #expect(keys.count == 1 && fixture.sent.count == 3)
  }

  @Test func `a client error parks the entry with its whole error, also for the next run`()
    async throws
  {
    let fixture = try OutboxFixture()
    let problem = #"{"title": "the title is too long", "status": 422}"#
    fixture.transport.stub(
      "POST /v1/notes",
      .response(
        status: 422, headers: [.contentType: "application/problem+json"],
        body: Data(problem.utf8)),
      .status(201))
    fixture.transport.stub("PUT /v1/notes/1", .status(200))
    let (store, outbox) = try await fixture.open()
    let receipt = try await outbox.add(.post("/notes").json(["title": "long"]), as: "1")
    try await outbox.add(.put("/notes/1"), as: "1")
    let first = await #expect(throws: LoadError.self) { try await receipt.answer() }
    await outbox.close()
    await store.close()

    let (_, next) = try await fixture.open()
    let parked = try await next.currentEntries(in: [.parked])
    let error = try #require(parked.first?.error)
    #expect(error.description == first?.description)
    #expect(error.kind == .status && error.response?.status == 422)
    #expect(error.serverMessage == "the title is too long")
    #expect(fixture.sent == ["POST /v1/notes"])
    let corrected = try await next.correct(
      #require(receipt.id), with: .post("/notes").json(["title": "short"]))
    _ = try await #require(corrected).answer()
    try await next.wait(until: \.isEmpty)

    #expect(fixture.sent == ["POST /v1/notes", "POST /v1/notes", "PUT /v1/notes/1"])
    let keys = Set(fixture.transport.requests.map { $0.headers[.idempotencyKey] })
    #expect(keys.count == 3)
  }

  @Test(arguments: [nil, DeliveryAnswer.received, .notReceived, .unknown])
  func `the app decides about a write that may have been delivered`(answer: DeliveryAnswer?)
    async throws
  {
    var fixture = try OutboxFixture()
    let asked = Mutex(0)
    if let answer {
      fixture.settings.checkDelivery = { entry in
        asked.withLock { $0 += 1 }
        return answer.delivery
      }
    }
    fixture.transport.stub("POST /v1/a", Self.lost, .status(200))
    let (_, outbox) = try await fixture.open()

    let receipt = try await outbox.add(.post("/a"), as: "a")
    await #expect(throws: LoadError.self) { try await receipt.answer() }
    if answer != nil {
      // The wait is rounded up to milliseconds.
      try await fixture.clock.waitForSleepers(count: 1, within: .seconds(2))
      fixture.clock.advance(by: .seconds(2))
    }

    switch answer {
    case .received, .notReceived: try await outbox.wait(until: \.isEmpty)
    case .unknown:
      try await outbox.wait { $0.first?.state == .uncertain && $0.first?.due == .distantFuture }
    case nil: try await outbox.wait { $0.first?.state == .uncertain }
    }
    #expect(asked.withLock(\.self) == (answer == nil ? 0 : 1))
    #expect(fixture.sent.count == (answer == .notReceived ? 2 : 1))
    await outbox.close()
  }

  enum DeliveryAnswer: CaseIterable, Sendable {
    case received, notReceived, unknown

    var delivery: OutboxDelivery {
      switch self {
      case .received: .received(Response(url: URL(string: "https://api.example.org/v1/a")!))
      case .notReceived: .notReceived
      case .unknown: .unknown
      }
    }
  }

  @Test func `a request that isn't idempotent waits if the server can't be reached`()
    async throws
  {
    let fixture = try OutboxFixture()
    let port = try UnservedPort(.refusing)
    let store = try await fixture.database.open()
    let client = Client(baseURL: port.url())
    let outbox = try await Outbox(store: store, client: client, settings: fixture.settings)
    var events = outbox.events.makeAsyncIterator()

    try await outbox.add(.post("/a"), as: "a")

    while let event = await events.next() {
      guard case .waiting(let entry, let error) = event else { continue }
      #expect(entry.state == .waiting && error.kind == .connection)
      break
    }
    await outbox.close()
  }

  @Test func `during an outage one entry at a time is tried`() async throws {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", Self.lost)
    let (_, outbox) = try await fixture.open()
    try await outbox.pause()
    for number in 0..<50 {
      try await outbox.add(.put("/\(number)"), as: "\(number)")
    }
    var events = outbox.events.makeAsyncIterator()
    try await outbox.resume()
    for _ in 0..<8 { _ = await events.next() }

    for count in 5...10 {
      try await fixture.clock.waitForSleepers(count: 1, within: .seconds(60))
      #expect(fixture.sent.count < count)
      fixture.clock.advance(by: .seconds(60))
      try await fixture.transport.waitForRequests(count: count)
      while case .sending? = await events.next() {}
    }

    #expect(fixture.sent.count <= 10)
    await outbox.close()
  }

  @Test func `nothing is sent without a network, and everything when it is back`() async throws {
    var fixture = try OutboxFixture()
    let (isOffline, isOnline) = (Gate(), Gate())
    let signals = Mutex(0)
    fixture.settings.networkAvailability = AsyncStream<Bool>(unfolding: {
      // A request for the next signal means that the previous one was handled.
      let number = signals.withLock { count in
        count += 1
        return count
      }
      switch number {
      case 1: return false
      case 2:
        isOffline.open()
        try? await isOnline.opened()
        return true
      default: return nil
      }
    })
    fixture.transport.stub("*", .status(200))
    let (_, outbox) = try await fixture.open()
    try await isOffline.opened()
    let receipt = try await outbox.add(.put("/a"), as: "a")
    try await outbox.retryParked()
    #expect(fixture.sent == [])
    isOnline.open()

    #expect(try await receipt.answer().status == 200)
    await outbox.close()
  }

  @Test func `a write that cancels others rethrows an error of the removal hook, and all stay`()
    async throws
  {
    struct Refusal: Error {}
    var fixture = try OutboxFixture()
    fixture.settings.onRemoval = { _, _, _ in throw Refusal() }
    let (_, outbox) = try await fixture.open()
    try await outbox.pause()
    try await outbox.add(.post("/notes"), as: "1")

    await #expect(throws: Refusal.self) {
      try await outbox.add(.delete("/notes/1"), as: "1") { $0.compaction = .cancelling }
    }

    #expect(try await outbox.count() == 1)
  }

  @Test func `an entry that is too old is dropped, and later ones are parked`() async throws {
    var fixture = try OutboxFixture()
    fixture.settings.maximumAge = .seconds(3600)
    fixture.settings.checkInterval = .seconds(600)
    let gaveUp = Mutex<[String]>([])
    fixture.settings.onRemoval = { entry, outcome, _ in
      guard case .givenUp(let error) = outcome else { return }
      gaveUp.withLock { $0.append("\(entry.key): \(error.kind)") }
    }
    fixture.transport.stub("*", .status(404))
    let (_, outbox) = try await fixture.open()
    let receipt = try await outbox.add(.put("/a"), as: "a")
    await #expect(throws: LoadError.self) { try await receipt.answer() }
    fixture.clock.advance(by: .seconds(1800))
    try await outbox.add(.put("/b"), as: "b", after: "a")
    var events = outbox.events.makeAsyncIterator()

    for _ in 0..<4 {
      try await fixture.clock.waitForSleepers(count: 1, within: .seconds(600))
      fixture.clock.advance(by: .seconds(600))
    }

    var parked: LoadError?
    while parked == nil, let event = await events.next() {
      if case .parked(_, let error) = event { parked = error }
    }
    #expect(parked?.kind == .outbox)
    #expect(gaveUp.withLock(\.self) == ["a: unaccepted status"])
    #expect(try await outbox.currentEntries().map(\.key) == ["b"])
    await outbox.close()
  }

  @Test func `a damaged row is parked with an error, and the others continue`() async throws {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    fixture.transport.stub("*", .status(200))
    let (store, outbox) = try await fixture.open()
    for number in 0..<5 { try await outbox.add(.put("/\(number)"), as: "\(number)") }
    await outbox.close()
    try await store.damageOutbox()
    await store.close()

    fixture.settings.maximumConcurrency = 4
    let (_, next) = try await fixture.open()
    try await next.wait { $0.allSatisfy { $0.state == .parked } }

    #expect(fixture.sent == ["PUT /v1/4"])
    let entries = try await next.currentEntries()
    #expect(entries.map(\.error?.kind) == [.store, .store, .invalidRequest, nil])
    await next.close()
  }

  @Test(arguments: [
    ("added = -1e300", true), ("added = 9e999", true), ("due = 9e999", true),
    ("due = -9e999", true), ("attempts = 9223372036854775807", false), ("attempts = -1", false),
  ])
  func `an invalid number in a row doesn't crash the process`(_ damage: String, isSent: Bool)
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    fixture.transport.stub("*", .status(200))
    let (store, outbox) = try await fixture.open()
    for number in 1...2 { try await outbox.add(.put("/\(number)"), as: "\(number)") }
    await outbox.close()
    try await store.changeFirstOutboxEntry(damage)
    await store.close()

    fixture.settings.maximumConcurrency = 1
    let (last, next) = try await fixture.open()
    try await next.wait { $0.allSatisfy { $0.state == .parked } }

    #expect(fixture.sent.sorted() == (isSent ? ["PUT /v1/1", "PUT /v1/2"] : ["PUT /v1/2"]))
    await next.close()
    await last.close()
  }

  @Test func `a read-only database is an error`() async throws {
    let fixture = try OutboxFixture()
    let (store, outbox) = try await fixture.open()
    await outbox.close()
    await store.close()
    var settings = SQLiteSettings()
    settings.isReadOnly = true
    let reading = try await fixture.database.open(settings)

    let error = await #expect(throws: LoadError.self) {
      try await Outbox(store: reading, client: fixture.client)
    }

    #expect(error?.reason.hasSuffix(" can only be read") == true)
  }

  @Test func `at the limit of the database's size adding fails, and what is stored is sent`()
    async throws
  {
    let fixture = try OutboxFixture()
    var settings = SQLiteSettings()
    settings.maximumSize = 400_000
    let store = try await fixture.database.open(settings)
    fixture.transport.stub("*", .status(200))
    let outbox = try await Outbox(store: store, client: fixture.client, settings: fixture.settings)
    try await outbox.pause()
    var count = 0

    let error = await #expect(throws: LoadError.self) {
      while true {
        let body = Request.Body.data(Data(count: 10_000))
        try await outbox.add(.put("/\(count)").body(body), as: "\(count)")
        count += 1
      }
    }
    try await outbox.resume()
    try await outbox.wait(until: \.isEmpty)

    #expect(error?.reason.hasPrefix("there is no room for more in the database ") == true)
    #expect(count > 5 && Set(fixture.sent).count == count)
    await outbox.close()
  }

  #if os(Linux)
    @Test func `on a full disk no partial file is copied, and sending continues`() async throws {
      guard let disk = SmallDisk() else { return }
      let fixture = try OutboxFixture()
      fixture.transport.stub("*", .status(200))
      let store = try await SQLiteStore(file: disk.url.appending(path: "store.sqlite"))
      let outbox = try await Outbox(
        store: store, client: fixture.client, settings: fixture.settings)
      try await outbox.pause()
      try await outbox.add(.put("/a"), as: "a")

      let error = await #expect(throws: LoadError.self) {
        try await outbox.add(.put("/b").body(.data(Data(count: 600_000))), as: "b")
      }
      try await outbox.resume()
      try await outbox.wait(until: \.isEmpty)

      #expect(error?.kind == .file && error?.advice == "Make room on the disk")
      #expect(fixture.sent == ["PUT /v1/a"])
      await outbox.close()
      await store.close()
      let folder = disk.url.appending(path: "store.sqlite-outbox").path(percentEncoded: false)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  #endif
}
