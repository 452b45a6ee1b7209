import Foundation
import PromiseModule
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

@testable import ResourceOutbox

/// Disks that are full, and files that are damaged or can't be written.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct OutboxDiskTests {
  #if os(Linux)
    @Test(arguments: [false, true])
    func `a response that arrives on a full disk is stored later, and nothing is sent again`(
      withHook: Bool
    ) async throws {
      guard let disk = SmallDisk() else { return }
      var fixture = try OutboxFixture()
      if withHook {
        fixture.settings.onRemoval = { _, _, transaction in try transaction.insert(Item.numbered(1))
        }
      }
      let gate = Gate()
      fixture.transport.stub("*", .json("{}").waiting(for: gate))
      let (store, outbox) = try await fixture.open(on: disk)
      let receipt = try await outbox.add(.post("/a"), as: "a")

      let error = try await fixture.failure(of: outbox, whenFull: disk, opening: gate)
      #expect(error?.reason.hasPrefix("there is no room for more in the database ") == true)
      #expect(try await outbox.currentEntries().map(\.state) == [.sending])
      try disk.clear()
      try await fixture.clock.waitForSleepers(count: 1, within: .seconds(1))
      fixture.clock.advance(by: .seconds(1))

      #expect(try await receipt.answer().status == 200)
      #expect(try await outbox.count() == 0)
      #expect(try await store.count(Item.self) == (withHook ? 1 : 0))
      #expect(fixture.sent == ["POST /v1/a"])
      await outbox.close()
      await store.close()
    }

    @Test(arguments: [false, true])
    func `an entry whose response couldn't be stored isn't new for the next run`(
      mayRepeat: Bool
    ) async throws {
      guard let disk = SmallDisk() else { return }
      var fixture = try OutboxFixture()
      fixture.settings.serverHonoursIdempotencyKeys = mayRepeat
      let gate = Gate()
      fixture.transport.stub("*", .json("{}").waiting(for: gate))
      let (store, outbox) = try await fixture.open(on: disk)
      try await outbox.add(.post("/a"), as: "a")
      _ = try await fixture.failure(of: outbox, whenFull: disk, opening: gate)
      outbox.sender.stop()
      fixture.clock.advance(by: .seconds(1))
      await outbox.close()
      await store.close()
      try disk.clear()

      let (next, again) = try await fixture.open(on: disk)
      try await again.wait { mayRepeat ? $0.isEmpty : $0.first?.state == .uncertain }

      let keys = Set(fixture.transport.requests.map { $0.headers[.idempotencyKey] })
      #expect(keys.count == 1)
      #expect(fixture.sent.count == (mayRepeat ? 2 : 1))
      await again.close()
      await next.close()
    }

    @Test func `a disk that can't be written is an error`() async throws {
      guard let disk = SmallDisk() else { return }
      let fixture = try OutboxFixture()
      let (store, outbox) = try await fixture.open(on: disk)
      await outbox.close()
      await store.close()
      try #require(disk.makeReadOnly())

      let error = await #expect(throws: LoadError.self) { try await fixture.open(on: disk) }

      #expect(error?.kind == .store)
    }
  #endif

  @Test func `an entry on a damaged page is reported and not sent, and the others are sent`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    fixture.transport.stub("*", .status(200))
    let (store, outbox) = try await fixture.open()
    for number in 0..<9 {
      // One on each page.
      try await outbox.add(.put("/\(number)"), as: "\(number)") {
        $0.payload = Data("payload \(number) ".utf8) + Data(repeating: 0x2E, count: 3000)
      }
    }
    await outbox.close()
    // No copy of a row is left anywhere then.
    _ = try await store.writer.run { try $0.execute("VACUUM") }
    await store.close()
    try fixture.database.damagePage(of: "payload 4 ")

    fixture.settings.maximumConcurrency = 1
    let (_, next) = try await fixture.open()
    var events = next.events.makeAsyncIterator()
    // What can't be written is tried again before it counts as damaged.
    let time = Task { [clock = fixture.clock] in
      while !Task.isCancelled {
        try await clock.waitForSleepers(count: 1, within: .seconds(1))
        clock.advance(by: .seconds(1))
      }
    }
    defer { time.cancel() }
    try await fixture.transport.waitForRequests(count: 8)
    var failure: LoadError?
    while failure == nil, let event = await events.next() {
      if case .failed(let error) = event { failure = error }
    }

    #expect(failure?.reason == "the database \(fixture.database.file.path) is damaged")
    await next.close()
    #expect(Set(fixture.sent).count == 8 && fixture.sent.count == 8)
    #expect(!fixture.sent.contains("PUT /v1/4"))
  }

  @Test(arguments: 0..<12)
  func `a damaged file causes errors but no crash, and nothing is sent twice`(
    seed: Int
  ) async throws {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    fixture.settings.maximumAge = .seconds(3600)
    fixture.transport.stub("*", .json(#"{"id": 1}"#))
    let (store, outbox) = try await fixture.open()
    for number in 0..<40 {
      let id = OutboxPlaceholder()
      try await outbox.add(.put("/\(number)").json(["text": "a note"]), as: "\(number % 20)") {
        $0.payload = Data(count: 100 * number)
        $0.placeholders[id] = .json("/id")
        $0.after = ["\(number % 7)"]
      }
      try await outbox.add(.put("/of/\(id)"), as: "\(number % 5)")
    }
    await outbox.close()
    await store.close()
    try fixture.database.damage(seed: seed)

    fixture.settings.maximumConcurrency = 4
    do {
      let (damaged, next) = try await fixture.open()
      for number in 0..<20 {
        _ = try? await next.add(.put("/more/\(number)"), as: "\(number)")
        _ = try? await next.currentEntries()
        fixture.clock.advance(by: .seconds(1))
      }
      await next.close()
      await damaged.close()
    } catch let error as LoadError {
      #expect(error.kind == .store)
    }

    let keys = fixture.transport.requests.map { $0.headers[.idempotencyKey] }
    #expect(Set(keys).count == keys.count)
  }
}

extension Database {
  /// Overwrites the beginning of the page that contains a text.
  fileprivate func damagePage(of text: String) throws {
    var bytes = try Data(contentsOf: file)
    let place = try #require(bytes.firstRange(of: Data(text.utf8)))
    let start = place.lowerBound / 4096 * 4096
    bytes.replaceSubrange(start..<start + 16, with: Data(repeating: 0xFF, count: 16))
    try bytes.write(to: file)
  }

  /// Overwrites many bytes behind the header of the file.
  fileprivate func damage(seed: Int) throws {
    var (bytes, generator) = (try Data(contentsOf: file), SeededGenerator(seed: UInt64(seed)))
    for _ in 0..<(1 << (seed % 7)) {
      let place = Int.random(in: 100..<bytes.count, using: &generator)
      for index in place..<min(bytes.count, place + 40) {
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
    }
    try bytes.write(to: file)
  }
}

#if os(Linux)
  extension SmallDisk {
    private var filler: URL { url.appending(path: "filler") }

    /// Writes to a file until the disk is full.
    fileprivate func fill() throws {
      try Data().write(to: filler)
      let handle = try FileHandle(forWritingTo: filler)
      defer { try? handle.close() }
      Data(count: 4096).withUnsafeBytes { bytes in
        while write(handle.fileDescriptor, bytes.baseAddress, bytes.count) > 0 {}
      }
    }

    fileprivate func clear() throws { try FileManager.default.removeItem(at: filler) }
  }

  extension OutboxFixture {
    fileprivate func open(on disk: SmallDisk) async throws -> (SQLiteStore, Outbox) {
      let store = try await SQLiteStore(file: disk.url.appending(path: "store.sqlite"))
      return (store, try await Outbox(store: store, client: client, settings: settings))
    }

    /// Answers a request under way on a full disk, and returns the reported error.
    fileprivate func failure(
      of outbox: Outbox, whenFull disk: SmallDisk, opening gate: Gate
    ) async throws -> LoadError? {
      var events = outbox.events.makeAsyncIterator()
      try await transport.waitForRequests(count: 1)
      try disk.fill()
      gate.open()
      while let event = await events.next() {
        if case .failed(let error) = event { return error }
      }
      return nil
    }
  }
#endif
