import Dispatch
import Foundation
import ResourceLoading
import ResourceStore
import StoreTestSupport
import TestSupport
import Testing

/// Files and disks in unexpected states.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct FaultTests {
  @Test func `opening a file that isn't a database throws an error and leaves it unchanged`()
    async throws
  {
    let database = try Database()
    let text = Data("This is a letter, not a database. ".utf8) + Data(count: 5000)
    try text.write(to: database.file)

    let error = await #expect(throws: LoadError.self) { try await database.open() }

    #expect(error?.kind == .store)
    #expect(error?.reason == "the database \(database.file.path) isn't a SQLite database")
    #expect((error?.underlying as? SQLiteError)?.code == 26)
    #expect(try Data(contentsOf: database.file) == text)
  }

  @Test(arguments: 0..<12)
  func `a damaged file is an error or still readable, never a crash`(seed: Int) async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item.numbered(500))
    await store.close()
    var bytes = try Data(contentsOf: database.file)
    for step in 0..<400 {
      let place = (seed * 7919 + step * 104_729) % (bytes.count - 100)
      bytes[bytes.startIndex + 100 + place] = UInt8(truncatingIfNeeded: seed &+ step &* 31)
    }
    try bytes.write(to: database.file)

    do {
      let damaged = try await database.open()
      _ = try await damaged.select(Item.self)
      try await damaged.upsert(Item.numbered(600))
      await damaged.close()
    } catch let error as LoadError {
      #expect(error.kind == .store)
    }
  }

  @Test func `a truncated file is an error with advice`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item.numbered(2000))
    await store.close()
    let bytes = try Data(contentsOf: database.file)
    try bytes.prefix(bytes.count / 2).write(to: database.file)

    let error = await #expect(throws: LoadError.self) {
      try await database.open().select(Item.self)
    }

    #expect(error?.reason == "the database \(database.file.path) is damaged")
    #expect(error?.advice?.contains("copy") == true)
  }

  @Test func `a missing folder is an error with advice`() async throws {
    let file = URL(filePath: "/nowhere-\(UUID().uuidString)/store.sqlite")

    let error = await #expect(throws: LoadError.self) { try await SQLiteStore(file: file) }

    #expect(error?.kind == .store)
    #expect(error?.advice == "Check that its folder exists and is writable")
  }

  @Test func `a read-only store reads, and throws an error for writes`() async throws {
    let database = try Database()
    let store = try await database.open()
    try await store.insert(Item.numbered(3))
    var settings = SQLiteSettings()
    settings.isReadOnly = true
    let reading = try await database.open(settings)

    let error = await #expect(throws: LoadError.self) { try await reading.insert(Note(text: "a")) }

    #expect(error?.reason == "the database \(database.file.path) can only be read")
    #expect(try await reading.count(Item.self) == 3)
    let missing = URL(filePath: database.file.path + "-missing")
    await #expect(throws: LoadError.self) {
      try await SQLiteStore(file: missing, settings: settings)
    }
  }

  @Test func `a full disk fails the transaction and no earlier one`() async throws {
    let database = try Database()
    var settings = SQLiteSettings()
    settings.maximumSize = 200_000
    let store = try await database.open(settings)
    var kept = 0

    let error = await #expect(throws: LoadError.self) {
      for id in 0..<1000 {
        try await store.transaction { transaction in
          try transaction.insert(Entry(id: id, text: String(repeating: "x", count: 2000)))
          try transaction.insert(Entry(id: 10_000 + id, text: ""))
        }
        kept += 1
      }
    }

    #expect(error?.reason.hasPrefix("there is no room for more in the database /") == true)
    #expect(kept > 10 && kept < 200)
    let ids = try await store.select(where: Entry.id < 10_000, order: Entry.id.ascending).map(\.id)
    #expect(ids == Array(0..<kept))
    #expect(try await store.count(Entry.self) == 2 * kept)
    // There is room again.
    try await store.delete(Entry.self, where: Entry.id < 10)
    try await store.insert(Entry(id: 20_000, text: "x"))
  }

  #if os(Linux)
    @Test func `on a full disk, deleting also fails, and the rows remain`() async throws {
      guard let disk = SmallDisk() else { return }
      let store = try await SQLiteStore(file: disk.url.appending(path: "store.sqlite"))
      try await store.insert(Entry(id: 0, text: ""))
      let other = disk.url.appending(path: "other")
      try Data(count: 100_000).write(to: other)
      var kept = 1

      await #expect(throws: LoadError.self) {
        while true {
          try await store.insert(Entry(id: kept, text: String(repeating: "x", count: 3000)))
          kept += 1
        }
      }
      try Data(count: 100_000).withUnsafeBytes {
        try Self.fill(disk.url.appending(path: "more"), $0)
      }
      let error = await #expect(throws: LoadError.self) {
        try await store.delete(Entry.self, where: Entry.id == 1)
      }

      #expect(error?.reason.hasPrefix("there is no room for more in the database /") == true)
      #expect(try await store.select(order: Entry.id.ascending).map(\.id) == Array(0..<kept))
      try FileManager.default.removeItem(at: other)
      #expect(try await store.delete(Entry.self, where: Entry.id >= kept - 5) == 5)
      try await store.insert(Entry(id: 1000, text: ""))
      #expect(try await store.count(Entry.self) == kept - 4)
    }

    /// Writes to a file until the disk is full.
    private static func fill(_ file: URL, _ bytes: UnsafeRawBufferPointer) throws {
      try Data().write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      while write(handle.fileDescriptor, bytes.baseAddress, 1000) > 0 {}
    }
  #endif

  @Test func `a write waits for another process, and throws an error after the timeout`()
    async throws
  {
    let database = try Database()
    var settings = SQLiteSettings()
    settings.busyTimeout = .milliseconds(30)
    let (busy, impatient) = (try await database.open(), try await database.open(settings))
    let patient = try await database.open()
    try await busy.insert(Entry(id: 0, text: ""))
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    async let long: Void = busy.transaction { transaction in
      try transaction.insert(Entry(id: 1, text: ""))
      starting.finish()
      gate.wait()
    }
    for await _ in started {}

    let error = await #expect(throws: LoadError.self) {
      try await impatient.insert(Entry(id: 2, text: ""))
    }
    let cancelled = Task { try await patient.insert(Entry(id: 3, text: "")) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(try await impatient.count(Entry.self) == 1)
    async let waiting: Void = patient.insert(Entry(id: 4, text: ""))
    gate.signal()

    #expect(error?.reason == "another process is using the database \(database.file.path)")
    try await long
    try await waiting
    #expect(try await impatient.select(order: Entry.id.ascending).map(\.id) == [0, 1, 4])
  }
}
